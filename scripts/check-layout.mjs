// Checks who imports whom in src/ (the map is in CONTRIBUTING.md). Run it with `npm run layout`.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const FACE = 'the public face' // the files directly in src/
const ENTRIES = 'the entry files of other rooms' // the face, src/*/index.ts and the files that package.json exports
const ANY = 'anything'

/**
 * A room may import itself, `node:` modules (all but core), and the rooms and packages named here.
 * @type {Record<string, { rooms: string[], packages?: string[] }>}
 */
const ROOMS = {
  core: { rooms: [] },
  engine: { rooms: ['core'] },
  context: { rooms: ['core'] },
  models: { rooms: ['core'], packages: ['node-llama-cpp'] },
  stores: { rooms: ['core'], packages: ['@photostructure/sqlite'] },
  output: { rooms: ['core'] },
  'json-schema': { rooms: ['core'], packages: ['@cfworker/json-schema'] },
  tools: { rooms: ['core', 'json-schema'], packages: ['ignore', 'picomatch', 'unbash'] },
  [FACE]: { rooms: ['core', 'engine', 'context', 'models', 'stores', 'tools', 'output'] },
  cli: { rooms: [ENTRIES], packages: ['commander', 'diff', 'marked'] },
  server: { rooms: [ENTRIES] },
  inspector: { rooms: [ENTRIES] },
  drivers: { rooms: [ENTRIES] },
  dialects: { rooms: [ENTRIES] },
  testing: { rooms: [ANY], packages: [ANY] },
}

// Patterns are enough where a formatter puts every import and export at the start of a line.
const STATEMENT = /^(?:import|export)\s+(?<type>type\s)?(?:[\w$*\s{},]*?\bfrom\s*)?(['"])(?<specifier>.+?)\2/gm
const CALL = /(?<type>typeof\s+)?\b(?:import|require)\(\s*(['"])(?<specifier>.+?)\2\s*\)(?<member>\s*\.\s*[A-Z])?/g
const COMMENT_LINE = /^[ \t]*(?:\/\/|\/?\*).*$/gm

/** @typedef {{ from: string, where: string, specifier: string, typeOnly: boolean, targets: string[], web: string | undefined }} Import */

/** Says each violation under `dir`/src in a line of text. @param {string} dir the folder that holds src/ and package.json */
export function checkLayout(dir) {
  const paths = readdirSync(join(dir, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => `src/${path.replaceAll('\\', '/')}`)
  const files = paths.filter((path) => statSync(join(dir, path)).isFile()).sort()
  const manifest = existsSync(join(dir, 'package.json')) ? JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) : {}
  const imports = files.filter((file) => file.endsWith('.ts')).flatMap((file) => importsOf(dir, file, manifest.imports ?? {}))
  const strangers = files.filter((file) => ROOMS[roomOf(file)] === undefined).map((file) => `${file}:1 is in no known room`)
  const rooms = imports.flatMap((one) => roomViolations(one, sourcesOf(manifest.exports)))
  const webVariants = Object.values(manifest.imports ?? {}).flatMap((target) => sourcesOf(target.default))
  const web = webViolations(imports, ['src/index.ts', ...webVariants])
  return { violations: [...strangers, ...rooms, ...web, ...circles(imports)], files: files.length }
}

/** @param {string} file */
const roomOf = (file) => (file.split('/').length === 2 ? FACE : (file.split('/')[1] ?? ''))

/** The source files behind `exports` or `imports` of package.json, or a part of them. @param {any} target @returns {string[]} */
function sourcesOf(target) {
  if (typeof target !== 'string') return Object.values(target ?? {}).flatMap(sourcesOf)
  return /^\.\/dist\/.*\.js$/.test(target) ? [target.replace('./dist/', 'src/').replace(/js$/, 'ts')] : []
}

/** @param {string} dir @param {string} from @param {Record<string, any>} subpathImports @returns {Import[]} */
function importsOf(dir, from, subpathImports) {
  const text = readFileSync(join(dir, from), 'utf8').replace(COMMENT_LINE, '')
  return [...text.matchAll(STATEMENT), ...text.matchAll(CALL)].map(({ 0: match, index, groups = {} }) => {
    const { specifier = '', type, member } = groups
    const where = `${from}:${text.slice(0, index + match.length).split('\n').length}`
    const relative = specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
    const targets = relative === undefined ? sourcesOf(subpathImports[specifier]) : [relative]
    const web = relative ?? sourcesOf(subpathImports[specifier]?.default)[0]
    return { from, where, specifier, typeOnly: (type ?? member) !== undefined, targets, web }
  })
}

/** @param {Import} one @param {string[]} exported @returns {string[]} */
function roomViolations({ from, where, specifier, targets }, exported) {
  const room = roomOf(from)
  const { rooms, packages = [] } = ROOMS[room] ?? { rooms: [ANY], packages: [ANY] }
  const bad = (/** @type {string} */ rule) => [`${where} imports ${specifier}: ${rule}`]
  if (specifier.startsWith('node:')) return room === 'core' ? bad('core imports no node: module') : []
  if (targets.length === 0) {
    const allowed = packages.some((name) => name === ANY || name === specifier || specifier.startsWith(`${name}/`))
    return allowed ? [] : bad(`${room} may import no package but ${packages.join(', ') || '(none)'}`)
  }
  return targets.flatMap((target) => {
    const there = roomOf(target)
    if (!target.startsWith('src/')) return bad('src imports no file outside itself')
    if (there === room || rooms.includes(there) || rooms.includes(ANY)) return []
    if (there === 'testing') return bad('nothing in src imports testing')
    const isEntry = there === FACE || exported.includes(target) || /^src\/[^/]+\/index\.ts$/.test(target)
    return rooms.includes(ENTRIES) && isEntry ? [] : bad(`${room} may import no room but ${rooms.join(', ') || 'itself'}`)
  })
}

/**
 * The root entry, and the variants for where there is no Node, run in browsers, workers, Bun and Deno: what they load, through any chain of
 * imports, is plain web platform.
 * @param {Import[]} imports @param {string[]} entries
 */
function webViolations(imports, entries) {
  const chains = new Map(entries.map((entry) => [entry, entry]))
  const of = (/** @type {string} */ chain) => (chain.startsWith('src/index.ts') ? 'root entry' : 'web variant')
  const violations = []
  for (const [file, chain] of chains) {
    for (const { where, specifier, web } of imports.filter(({ from, typeOnly }) => from === file && !typeOnly)) {
      if (web === undefined)
        violations.push(`${where} imports ${specifier}: the ${of(chain)} is free of node: modules and packages (${chain})`)
      else if (!chains.has(web)) chains.set(web, `${chain} > ${web}`)
    }
  }
  return violations
}

/** One line a circle; type-only imports count, as they tie two ideas into one all the same. @param {Import[]} imports */
function circles(imports) {
  const done = new Set()
  /** @param {string} file @param {string[]} path @returns {string[]} */
  const visit = (file, path) => {
    if (done.has(file)) return []
    const found = imports
      .filter(({ from }) => from === file)
      .flatMap(({ where, specifier, targets }) =>
        targets.flatMap((target) => {
          const start = path.indexOf(target)
          if (start < 0) return visit(target, [...path, target])
          return [`${where} imports ${specifier}: closes the circle ${[...path.slice(start), target].join(' > ')}`]
        }),
      )
    done.add(file)
    return found
  }
  return imports.flatMap(({ from }) => visit(from, [from]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { violations, files } = checkLayout(fileURLToPath(new URL('..', import.meta.url)))
  for (const violation of violations) console.error(violation)
  console.log(`layout: ${files} files, ${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
