import type { Desk } from './desk.ts'
import { emptiness, everything, unreadable } from './locate.ts'
import type { FileInfo, Row, Rows } from './results.ts'
import { fileInfoOf, rowsOf } from './results.ts'
import type { Intent } from './task.ts'
import type { Capability, Wish } from './tools.ts'
import type { Section } from './wording.ts'
import { bullets, folderPath, leftOut, placeName, plural } from './wording.ts'

type Of<K extends Intent['kind']> = Extract<Intent, { readonly kind: K }>

export function listSection(desk: Desk, intent: Of<'list'>): Section {
  return withRows(desk, 'list', { ...folderPath(intent.path), depth: 1, limit: everything }, (found, toolName) => {
    const { rows, truncated } = found
    const place = placeName(intent.path, 'This')
    if (rows.length === 0) return `${place} has 0 entries (${toolName}): there is nothing to read.${leftOut(found)}`
    const count = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).length
    const others = count('other') === 0 ? '' : `, and ${count('other')} of another kind (links, say)`
    const kinds = `${plural(count('folder'), 'folder')} and ${plural(count('file'), 'file')}${others}`
    const head = `${place} has ${truncated ? 'at least ' : ''}${plural(rows.length, 'entry', 'entries')} (${toolName}): ${kinds}.`
    return `${head}${leftOut(found)}\n${bullets(rows.map(described))}`
  })
}

export function findSection(desk: Desk, intent: Of<'find'>): Section {
  return withRows(desk, 'find', { ...folderPath(intent.path), glob: intent.glob, limit: everything }, (found, toolName) => {
    const rows = filesOf(found)
    const what = `${rows.length} ${singular(intent.label, rows.length)} in ${placeName(intent.path)} (${toolName}, ${intent.glob}).${leftOut(found)}`
    if (rows.length === 0) return found.truncated ? what : none(desk, what, intent.path)
    return `${found.truncated ? 'At least ' : ''}${what}\n${bullets(rows.map(described))}`
  })
}

export function countFilesSection(desk: Desk, intent: Of<'count-files'>): Section {
  return withRows(desk, 'find', { ...folderPath(intent.path), glob: intent.glob, limit: everything }, (found, toolName) => {
    const known = found.truncated && intent.glob === '**/*' ? folderInfo(desk, intent.path) : {}
    if (known === undefined) return undefined
    const count = known.files ?? filesOf(found).length
    const result = known.files === undefined ? found : { ...found, truncated: false }
    const there = `There ${count === 1 ? 'is' : 'are'} ${result.truncated ? 'at least ' : ''}${count} ${singular(intent.label, count)}`
    const how = known.files === undefined ? `${toolName}, ${intent.glob}` : known.toolName
    const sentence = `${there} in ${placeName(intent.path)}, sub-folders included (${how}).${leftOut(result)}`
    return count === 0 && !result.truncated ? none(desk, sentence, intent.path) : sentence
  })
}

const allDepths = 100

export function countFoldersSection(desk: Desk, intent: Of<'count-folders'>): Section {
  return withRows(desk, 'list', { ...folderPath(intent.path), depth: allDepths, limit: everything }, (found, toolName) => {
    const known = found.truncated ? folderInfo(desk, intent.path) : {}
    if (known === undefined) return undefined
    const folders = found.rows.filter((row) => row.kind === 'folder')
    const count = known.folders ?? folders.length
    const result = known.folders === undefined ? found : { ...found, truncated: false }
    const deep = known.folders !== undefined || desk.can('list', { path: '.', depth: allDepths })
    const there = `There ${count === 1 ? 'is' : 'are'} ${result.truncated ? 'at least ' : ''}${plural(count, 'folder')} in ${placeName(intent.path)}`
    const sentence = `${there}, ${deep ? 'sub-folders included' : 'those directly in it'} (${known.toolName ?? toolName}).${leftOut(result)}`
    if (found.rows.length === 0) return `${sentence} It has no entries: there is nothing to read.`
    return [sentence, bullets(folders.map(described))].filter((text) => text !== '').join('\n')
  })
}

/** Counts of a folder that is too large for a list. Empty when no tool tells them, undefined to wait. */
function folderInfo(desk: Desk, path: string | undefined): (FileInfo & { readonly toolName?: string }) | undefined {
  const finding = desk.ask('info', { path: folderPath(path).path ?? '.' })
  if (finding.state === 'waiting') return undefined
  return finding.state === 'ready' ? { ...fileInfoOf(finding.output), toolName: finding.toolName } : {}
}

export function largestSection(desk: Desk, intent: Of<'largest'>): Section {
  const wish: Wish = { ...folderPath(intent.path), glob: intent.glob, sort: 'size' }
  // A tool that sorts need not send what is not asked for; only the smallest stand at the end of its list.
  const sorts = intent.order === 'largest' && desk.can('find', wish)
  return withRows(desk, 'find', { ...wish, limit: sorts ? intent.count : everything }, (found, toolName) => {
    const where = `in ${placeName(intent.path)} (${toolName}, ${intent.glob})`
    const result = { ...found, truncated: found.truncated && !(sorts && found.rows.length >= intent.count) }
    if (found.rows.length === 0) return none(desk, `There are 0 ${intent.label} ${where}.${leftOut(result)}`, intent.path)
    const sized = filesOf(found).filter((row) => row.size !== undefined)
    if (sized.length === 0) return `${toolName} does not tell the sizes of the files, so I can't say which ones are the ${intent.order}.`
    const sign = intent.order === 'largest' ? -1 : 1
    const best = sized.sort((a, b) => sign * ((a.size ?? 0) - (b.size ?? 0)) || (a.path < b.path ? -1 : 1)).slice(0, intent.count)
    const head = `The ${best.length === 1 ? '' : `${best.length} `}${intent.order} ${singular(intent.label, best.length)} ${where}:`
    const caution = result.truncated ? ` The result was cut: there may be ${intent.order === 'largest' ? 'larger' : 'smaller'} ones.` : ''
    const rest = leftOut({ ...result, truncated: false })
    return `${head}${caution}${rest}\n${best.map((row, i) => `${i + 1}. ${described(row)}`).join('\n')}`
  })
}

function withRows(desk: Desk, capability: Capability, wish: Wish, say: (found: Rows, toolName: string) => Section): Section {
  const finding = desk.ask(capability, wish)
  if (finding.state === 'waiting') return undefined
  if (finding.state === 'problem') return finding.problem
  const found = rowsOf(finding.output)
  return found === undefined ? unreadable(finding.toolName) : say(found, finding.toolName)
}

function none(desk: Desk, sentence: string, path: string | undefined): Section {
  const empty = emptiness(desk, path)
  return empty === undefined ? undefined : `${sentence}${empty}`
}

function filesOf(found: Rows): Row[] {
  return found.rows.filter((row) => row.kind === 'file')
}

function described(row: Row): string {
  if (row.kind === 'folder') return `${row.path}/`
  return `${row.path}${row.size === undefined ? '' : `: ${plural(row.size, 'byte')}`}`
}

/** The labels are plural: "files that match *.ts", "TypeScript files". */
function singular(label: string, count: number): string {
  return count === 1 ? label.replace(/\bfiles\b/, 'file').replace('file that match ', 'file that matches ') : label
}
