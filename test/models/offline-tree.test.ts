import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { offline } from 'rondo/offline'
import { readTools } from 'rondo/tools'
import { afterAll, describe, expect, test } from 'vitest'
import { errorData, RondoError } from '../../src/core/error.ts'
import type { Json } from '../../src/core/json.ts'
import type { Message, ToolCallPart } from '../../src/core/message.ts'
import { textMessage } from '../../src/core/message.ts'
import type { ModelDelta } from '../../src/core/model.ts'
import type { Tool, ToolCallInfo } from '../../src/core/tool.ts'
import { noUsage } from '../../src/core/usage.ts'

// Every run has a new tree; SEED=<n> brings one back. The seed stands in the name of the suite.
const given = process.env['SEED']
const seeds = given === undefined ? [1, 2, Math.floor(Math.random() * 2 ** 31)] : [Number(given)]
const made: string[] = []

afterAll(() => {
  for (const root of made) rmSync(root, { recursive: true, force: true })
})

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return { below, pick: <T>(items: readonly T[]): T => items[below(items.length)]! }
}

const words = [
  'alpha',
  'beta',
  'gamma',
  'needle',
  'Needle',
  'const',
  'export',
  'list',
  'of',
  'files',
  'ünïcode',
  '# no',
  '   ',
  '',
  'naïve café',
]
const extensions = ['ts', 'tsx', 'js', 'md', 'json', 'txt', 'py']

function makeTree(seed: number): string {
  const random = randomFrom(seed)
  const root = mkdtempSync(join(tmpdir(), 'rondo-offline-'))
  made.push(root)
  const folders = ['.']
  for (let i = 0; i < 3 + random.below(8); i++)
    folders.push(join(random.pick(folders), `${random.pick(['src', 'docs', 'lib', 'my parts', 'x-y'])}${i}`))
  const text = () => {
    const lines = Array.from({ length: random.below(120) }, () =>
      Array.from({ length: random.below(6) }, () => random.pick(words)).join(' '),
    )
    return lines.join('\n') + (random.below(3) > 0 && lines.length > 0 ? '\n' : '')
  }
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  for (let i = 0; i < 20 + random.below(60); i++)
    write(join(random.pick(folders), `f${i}${random.below(4) === 0 ? '.test' : ''}.${random.pick(extensions)}`), text())
  write(join(random.pick(folders), '.hidden.ts'), text())
  write(join(random.pick(folders), 'binary.bin'), 'needle\0needle\n'.repeat(50))
  write('left.txt', text() + text())
  write('right.txt', `${readFileSync(join(root, 'left.txt'), 'utf8').split('\n').slice(3).join('\n')}\n${text()}`)
  write('README.md', `# Tree ${seed}\n\n${text()}\n## Last part\n`)
  write(join(folders[1]!, 'widget.ts'), `${text()}\nexport function makeWidget(a: number) {\n  return a\n}\nmakeWidget(1)\n`)
  return root
}

// What is true, from node:fs alone.
const filesBelow = (root: string, folder = '.') =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
const isText = (path: string) => !path.endsWith('.bin')
const textLines = (root: string, path: string) => {
  if (!isText(path)) return []
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
const sizeOf = (root: string, path: string) => statSync(join(root, path)).size
const matchesOf = (root: string, word: string) =>
  filesBelow(root).flatMap((path) => textLines(root, path).flatMap((line, i) => (line.includes(word) ? [`${path}:${i + 1}`] : [])))

/** The smallest loop there is: ask, run the calls, ask again. */
async function answer(tools: readonly Tool[], question: string): Promise<string> {
  const messages: Message[] = [textMessage('user', question)]
  for (let round = 0; round < 30; round++) {
    const deltas: ModelDelta[] = []
    const request = { instructions: '', messages, tools, toolChoice: 'auto', settings: {}, purpose: 'main' } as const
    const finish = await offline().stream(request, (delta) => deltas.push(delta), { signal: new AbortController().signal, sessionId: 's' })
    if (finish.finishReason === 'stop') return deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')
    const calls = deltas.flatMap((delta) => (delta.type === 'call' ? [{ part: delta.part, toolName: delta.toolName }] : []))
    const parts = calls.map(async ({ part, toolName }): Promise<ToolCallPart> => {
      const input: Json = JSON.parse(deltas.map((delta) => (delta.type === 'call-input' && delta.part === part ? delta.text : '')).join(''))
      return { type: 'tool-call', callId: `m${round}.${part}`, toolName, input, settlement: await execute(tools, toolName, input) }
    })
    messages.push({ role: 'assistant', parts: await Promise.all(parts) })
  }
  throw new Error(`no answer after 30 rounds to '${question}'`)
}

async function execute(tools: readonly Tool[], toolName: string, input: Json): Promise<NonNullable<ToolCallPart['settlement']>> {
  const tool = tools.find((one) => one.name === toolName)!
  const checked = await tool.inputSchema['~standard'].validate(input)
  if (checked.issues !== undefined)
    throw new Error(`the offline model sent ${toolName} ${JSON.stringify(input)}: ${JSON.stringify(checked.issues)}`)
  const call: ToolCallInfo = {
    callId: 'm0.0',
    attempt: 1,
    idempotencyKey: 'k',
    context: undefined,
    sessionId: 's',
    runId: 'r',
    iteration: 1,
    signal: new AbortController().signal,
    usage: noUsage,
    progress: () => {},
    resolve: () => Promise.reject(new Error('no dependencies here')),
  }
  try {
    return { outcome: 'ok', output: JSON.parse(JSON.stringify(await tool['~definition'].execute?.(checked.value, call))) }
  } catch (error) {
    return { outcome: 'error', error: RondoError.is(error) ? error.toData() : errorData('ToolExecutionError', String(error)) }
  }
}

const number = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN)
const bulletsOf = (text: string) =>
  text.split('\n').flatMap((line) => (/^(?:-|\d+\.) /.test(line) ? [line.replace(/^(?:-|\d+\.) /, '')] : []))

describe.each(seeds)('a generated tree, seed %i', (seed) => {
  const root = makeTree(seed)
  const tools = readTools({ root })
  const ask = (question: string) => answer(tools, question)
  const files = filesBelow(root)
  const folders = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory())

  test('how many files, and of a kind', async () => {
    expect(number(await ask('How many files are there?'), /There are (\d+) files/)).toBe(files.length)
    for (const extension of extensions) {
      const expected = files.filter((file) => file.endsWith(`.${extension}`)).length
      expect(number(await ask(`How many .${extension} files are there?`), /There (?:is|are) (\d+) /)).toBe(expected)
    }
    const typescript = files.filter((file) => /\.tsx?$/.test(file)).length
    expect(number(await ask('how many TypeScript files are there'), /There (?:is|are) (\d+) /)).toBe(typescript)
    expect(number(await ask('How many folders are there?'), /There (?:is|are) (\d+) folders?/)).toBe(folders.length)
  })

  test('in each folder: the entries, and the files', async () => {
    for (const entry of folders) {
      const folder = relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')
      const listed = await ask(`List the files in "${folder}/"`)
      expect(number(listed, /has (\d+) entr/), listed).toBe(readdirSync(join(root, folder)).length)
      expect(number(await ask(`How many files are there in "${folder}/"?`), /There (?:is|are) (\d+) file/)).toBe(
        filesBelow(root, folder).length,
      )
    }
  })

  test('the largest and the smallest', async () => {
    const sizes = files.map((file) => sizeOf(root, file)).sort((a, b) => b - a)
    const named = (text: string) =>
      bulletsOf(text)
        .map((line) => /^(.*): (\d+) bytes?$/.exec(line)!)
        .map(([, path, size]) => ({ path: path!, size: Number(size) }))
    for (const [question, expected] of [
      ['What are the seven largest files?', sizes.slice(0, 7)],
      ['the 3 smallest files', sizes.slice(-3).reverse()],
    ] as const) {
      const rows = named(await ask(question))
      expect(rows.map((row) => row.size)).toEqual(expected)
      for (const row of rows) expect(sizeOf(root, row.path)).toBe(row.size)
    }
  })

  test('find by glob', async () => {
    const expected = files.filter((file) => file.includes('.test.'))
    const text = await ask('Find files named *.test.*')
    expect(
      bulletsOf(text)
        .map((line) => line.replace(/: \d+ bytes?$/, ''))
        .sort(),
    ).toEqual(expected)
  })

  test('search: every matching line, and the count by file', async () => {
    const expected = matchesOf(root, 'needle')
    const text = await ask("Search for 'needle'")
    expect(number(text, /^(\d+) lines? in \d+ files? match/m)).toBe(expected.length)
    expect(number(text, /^\d+ lines? in (\d+) files? match/m)).toBe(new Set(expected.map((one) => one.replace(/:\d+$/, ''))).size)
    for (const line of bulletsOf(text).filter((one) => !one.startsWith('…'))) expect(expected).toContain(/^(.*?:\d+):/.exec(line)?.[1])
    const counted = await ask("How often does 'Needle' occur?")
    for (const line of bulletsOf(counted)) {
      const [, path, count] = /^(.*): (\d+)$/.exec(line)!
      expect(matchesOf(root, 'Needle').filter((one) => one.startsWith(`${path}:`))).toHaveLength(Number(count))
    }
  })

  test('line counts: of files, and of all files together', async () => {
    for (const file of files.filter((file, i) => i % 7 === 0 && isText(file)))
      expect(number(await ask(`How many lines does "${file}" have?`), / has (\d+) lines?/), file).toBe(textLines(root, file).length)
    const folder = relative(root, join(folders[0]!.parentPath, folders[0]!.name))
    const sum = filesBelow(root, folder).reduce((total, file) => total + textLines(root, file).length, 0)
    const text = await ask(`How many lines are in "${folder}/"?`)
    expect(filesBelow(root, folder).length === 0 ? 0 : number(text, /(?:has|have) (?:at least )?(\d+) lines?/), text).toBe(sum)
  })

  test('compare', async () => {
    const text = await ask('Compare left.txt and right.txt')
    const [left, right] = [textLines(root, 'left.txt'), textLines(root, 'right.txt')]
    const rest = [...right]
    const common = left.filter((line) => {
      const at = rest.indexOf(line)
      if (at >= 0) rest.splice(at, 1)
      return at >= 0
    }).length
    expect(text).toContain(`- left.txt: ${left.length} lines, ${sizeOf(root, 'left.txt')} bytes`)
    expect(text).toContain(`- right.txt: ${right.length} lines, ${sizeOf(root, 'right.txt')} bytes`)
    expect(number(text, /in common.*: (\d+)$/m)).toBe(common)
    expect(number(text, /only in left.txt: (\d+)$/m)).toBe(left.length - common)
    expect(number(text, /only in right.txt: (\d+)$/m)).toBe(right.length - common)
  })

  test('the default task', async () => {
    const text = await ask('What is in this folder? Outline the README and name the largest files')
    expect(number(text, /This folder has (\d+) entries/)).toBe(readdirSync(root).length)
    const readme = textLines(root, 'README.md')
    expect(number(text, /README.md has (\d+) lines/)).toBe(readme.length)
    const headings = [...text.matchAll(/^- line (\d+): (.*)$/gm)]
    expect(headings.length).toBeGreaterThanOrEqual(2)
    for (const [, line, heading] of headings) expect(readme[Number(line) - 1]?.trim()).toBe(heading)
    expect(text).toContain(`1. ${files.toSorted((a, b) => sizeOf(root, b) - sizeOf(root, a))[0]}: `)
  })

  test('a definition, a file by its name alone, and one that is not there', async () => {
    const widget = files.find((file) => file.endsWith('/widget.ts'))!
    const line = textLines(root, widget).findIndex((one) => one.startsWith('export function makeWidget')) + 1
    expect(bulletsOf(await ask('Where is makeWidget defined?'))).toEqual([`${widget}:${line}: export function makeWidget(a: number) {`])
    expect(await ask('Outline widget.ts')).toContain(`line ${line}: export function makeWidget(a: number)`)
    expect(await ask('Read nowhere/at/all.md')).toContain("read_file for 'nowhere/at/all.md' did not succeed (error)")
  })
})

test('an empty folder: there is nothing to read', async () => {
  const root = mkdtempSync(join(tmpdir(), 'rondo-offline-'))
  made.push(root)
  const questions = [
    'What is in this folder? Outline the README and name the largest files',
    'How many files are there?',
    "Search for 'x'",
    'Outline the README',
    'Find *.md files',
  ]
  for (const question of questions) expect(await answer(readTools({ root }), question)).toContain('there is nothing to read')
})

test('more files than one result holds: still counted, and what is skipped is said', async () => {
  const root = mkdtempSync(join(tmpdir(), 'rondo-offline-'))
  made.push(root)
  mkdirSync(join(root, 'many'))
  mkdirSync(join(root, 'node_modules'))
  for (let i = 0; i < 1_100; i++) writeFileSync(join(root, 'many', `${i}.txt`), 'x'.repeat(i))
  const tools = readTools({ root })
  const text = await answer(tools, 'How many files are there? Name the two largest files. How many .txt files are there?')
  expect(text).toContain('There are 1100 files in this folder')
  expect(text).toContain('1. many/1099.txt: 1099 bytes\n2. many/1098.txt: 1098 bytes')
  expect(text).toContain('There are at least 1000 .txt files')
  expect(text).toContain('lower bound')
  expect(text).toContain('Not counted: 1 entry that the tool skips')
})
