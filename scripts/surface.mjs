// Keeps the public surface of the built package in test/house/surface/, one text file a sub-path, so that a change of it is seen in a review.
// `npm run surface` accepts the surface as built; `npm run surface -- --check` fails when it differs.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A declaration file as statements: what it declares, what it imports and what it passes on.
 * @typedef {{ name: string, from: string }} Origin
 * @typedef {{ declared: Map<string, string[]>, imported: Map<string, Origin>, exported: Map<string, Origin>, stars: string[] }} Declarations
 */

const STATEMENT_START = /^(?=(?:export|declare|import|interface|type|const|class|function|abstract)\b)/m
const LIST = /^(import|export) (?:type )?(?:([\w$]+),? ?)?(?:\{([\s\S]*?)\})?(?: ?from ['"](.+?)['"])?;?$/
const STAR = /^(import|export) (?:type )?\*(?: as ([\w$]+))? from ['"](.+?)['"]/
const DECLARED = /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|type|const|let|class|function) ([\w$]+)/
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n?|^[ \t]*\/\/.*\n?/gm

/** @type {Map<string, Declarations>} */
const files = new Map()

/** @param {string} path @returns {Declarations} */
function read(path) {
  const known = files.get(path)
  if (known !== undefined) return known
  /** @type {Declarations} */
  const file = { declared: new Map(), imported: new Map(), exported: new Map(), stars: [] }
  files.set(path, file)
  const target = (/** @type {string} */ from) =>
    from.startsWith('.') ? posix.join(posix.dirname(path), from.replace(/\.[jt]s$/, '.d.ts')) : from
  for (const part of readFileSync(path, 'utf8').replace(COMMENT, '').split(STATEMENT_START)) {
    const statement = part.trim()
    const star = STAR.exec(statement)
    const list = star ? null : LIST.exec(statement)
    const name = DECLARED.exec(statement)?.[1]
    if (star?.[2] !== undefined)
      (star[1] === 'import' ? file.imported : file.exported).set(star[2], { name: '*', from: target(star[3] ?? '') })
    else if (star) file.stars.push(target(star[3] ?? ''))
    else if (list) readList(list, file, target)
    else if (name !== undefined) {
      file.declared.set(name, [...(file.declared.get(name) ?? []), statement.replace(/^export /, '')])
      if (/^export default\b/.test(statement)) file.exported.set('default', { name, from: '' })
      else if (statement.startsWith('export ')) file.exported.set(name, { name, from: '' })
    }
  }
  return file
}

/** @param {RegExpExecArray} list @param {Declarations} file @param {(from: string) => string} target */
function readList([, keyword, main, names = '', from], file, target) {
  const origin = from === undefined ? '' : target(from)
  if (main !== undefined && keyword === 'import') file.imported.set(main, { name: 'default', from: origin })
  for (const item of names.split(',').map((text) => text.trim().replace(/^type /, ''))) {
    const [name = '', alias = name] = item.split(' as ')
    if (name !== '') (keyword === 'import' ? file.imported : file.exported).set(alias, { name, from: origin })
  }
}

/** Every exported name of a file with where it comes from. @param {string} path @returns {Map<string, Origin>} */
function exportsOf(path) {
  const { exported, stars } = read(path)
  const own = [...exported].map(([alias, { name, from }]) => /** @type {const} */ ([alias, { name, from: from === '' ? path : from }]))
  return new Map([...stars.filter((from) => from.endsWith('.d.ts')).flatMap((from) => [...exportsOf(from)]), ...own])
}

/**
 * The declaration a name stands for, and all those that its text mentions, into `found`.
 * @param {string} path @param {string} name @param {Map<string, string>} found
 */
function collect(path, name, found) {
  if (!path.endsWith('.d.ts')) return
  if (name === '*') {
    for (const [, origin] of exportsOf(path)) collect(origin.from, origin.name, found)
    return
  }
  const { declared, imported } = read(path)
  const texts = declared.get(name)
  if (texts === undefined) {
    const origin = imported.get(name) ?? exportsOf(path).get(name)
    if (origin && origin.from !== path) collect(origin.from, origin.name, found)
    return
  }
  const key = `${name} ${path}`
  if (found.has(key)) return
  found.set(key, texts.join('\n'))
  for (const text of texts) {
    for (const [, from = '', there = ''] of text.matchAll(/import\(['"](\..+?)['"]\)\.([\w$]+)/g))
      collect(posix.join(posix.dirname(path), from.replace(/\.[jt]s$/, '.d.ts')), there, found)
    for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) if (declared.has(word) || imported.has(word)) collect(path, word, found)
  }
}

/** The text of one sub-path's surface. It names no file: moving a declaration changes nothing for a user. @param {string} path */
function surfaceOf(path) {
  const names = exportsOf(path)
  const found = new Map()
  for (const [, { name, from }] of names) collect(from, name, found)
  const lines = [...names].map(([alias, { name }]) => (alias === name ? alias : `${alias} (declared as ${name})`)).sort()
  const texts = [...new Set([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text))]
  return `exports:\n${lines.map((line) => `  ${line}\n`).join('')}\n${texts.map((text) => `${text}\n\n`).join('')}`.trimEnd().concat('\n')
}

/** Paragraphs of one text that the other lacks. @param {string} before @param {string} after */
function difference(before, after) {
  const lines = (/** @type {string} */ text) => text.split('\n')
  const [had, has] = [new Set(lines(before)), new Set(lines(after))]
  const gone = lines(before).filter((line) => line !== '' && !has.has(line))
  const come = lines(after).filter((line) => line !== '' && !had.has(line))
  const shown = [...gone.map((line) => `  - ${line}`), ...come.map((line) => `  + ${line}`)]
  return shown.length > 0 ? shown.slice(0, 200).join('\n') : '  (the same lines in another order)'
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const folder = join('test', 'house', 'surface')
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
/** @type {Map<string, string>} */
const surfaces = new Map()
for (const [subPath, target] of Object.entries(manifest.exports)) {
  if (typeof target !== 'object') continue
  const path = posix.normalize(target.types)
  if (!existsSync(path)) throw new Error(`${path} (${subPath} of package.json's exports) is missing: run npm run build first`)
  surfaces.set(`${subPath === '.' ? 'rondo' : subPath.slice(2).replaceAll('/', '-')}.txt`, surfaceOf(path))
}

const kept = existsSync(folder) ? readdirSync(folder) : []
const changed = [...new Set([...kept, ...surfaces.keys()])].filter((name) => {
  const before = kept.includes(name) ? readFileSync(join(folder, name), 'utf8') : ''
  if (before === surfaces.get(name)) return false
  console.log(`${folder}/${name}:\n${difference(before, surfaces.get(name) ?? '')}`)
  return true
})
if (!process.argv.includes('--check')) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of surfaces) writeFileSync(join(folder, name), text)
} else if (changed.length > 0) {
  console.error('The public surface changed. If that is meant: npm run surface, and a line in CHANGELOG.md.')
  process.exitCode = 1
}
console.log(`surface: ${surfaces.size} sub-paths, ${changed.length} changed`)
