import { join } from 'node:path'
import { type Files, readAt, type Slots, withFile } from './jsonl-files.ts'
import type { Warn } from './jsonl-inspect.ts'
import { linesOf, piecesOf } from './jsonl-lines.ts'
import { fileNameOf, isJournal, sessionOfName } from './jsonl-names.ts'

/** The sessions whose files lie in a folder. Of most the name says which; a name that was cut needs a look into its file. */
export async function sessionFiles(
  { files, slots, warn }: { readonly files: Files; readonly slots: Slots; readonly warn: Warn },
  folder: string,
): Promise<readonly string[]> {
  const names = (await files.readdir(folder)).filter(isJournal).sort()
  const found = names.map(async (name) => {
    const sessionId = sessionOfName(name) ?? (await slots.use(() => sessionIn(files, join(folder, name))))
    if (sessionId !== undefined && fileNameOf(sessionId) === name) return [sessionId]
    warn(`rondo: ${join(folder, name)} is not listed: its name is that of no session. Was it renamed?`)
    return []
  })
  return (await Promise.all(found)).flat()
}

/** What the first line says. */
async function sessionIn(files: Files, path: string): Promise<string | undefined> {
  return withFile(files, path, 'r', async (handle) => {
    for await (const [line] of linesOf((position, length) => readAt(handle, position, length), 0, (await handle.stat()).size)) {
      if (line !== undefined) return firstId(line)
    }
    return undefined
  })
}

function firstId(line: Parameters<typeof piecesOf>[0]): string | undefined {
  try {
    const [first] = piecesOf(line)
    return first?.kind === 'record' && typeof first.value.sessionId === 'string' ? first.value.sessionId : undefined
  } catch {
    return undefined
  }
}
