// Breaks src/ in one small way at a time (scripts/mutants.json) and says whether a test notices. Run it with `npm run mutants`, in minutes.
//
//   node scripts/mutants.mjs [--only id,id] [--file text] [--tests dir,dir] [--workers 2]
//
// A mutant that survives is a rule that no test states: write the test, or delete the rule. `find` must occur exactly once in its file.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** @typedef {{ id: string, file: string, find: string, replace: string, rule: string }} Mutant */

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: { only: { type: 'string' }, file: { type: 'string' }, tests: { type: 'string' }, workers: { type: 'string', default: '2' } },
})

/** The fast tests of the loop, those first that know the file best: most mutants are dead before the second group is asked. */
const ofCore = [['test/core'], ['test/engine', 'test/agent', 'test/acceptance']]
const ofEngine = [['test/engine'], ['test/agent', 'test/acceptance'], ['test/core']]
/** @param {string} file */
const groupsFor = (file) =>
  (values.tests !== undefined
    ? [values.tests.split(',')]
    : file.startsWith('src/models/')
      ? [['test/models']]
      : file.startsWith('src/stores/')
        ? [['test/stores']]
        : file.startsWith('src/tools/shell/')
          ? [['test/tools/shell']]
          : file.startsWith('src/cli/')
            ? [['test/cli']]
            : file.startsWith('src/tools/sandbox/')
              ? [['test/tools/sandbox']]
              : file.startsWith('src/core/')
                ? ofCore
                : ofEngine
  ).map((dirs) => dirs.filter((dir) => existsSync(join(root, dir))))
const limitMs = 180_000

/** @type {Mutant[]} */
const all = JSON.parse(readFileSync(join(root, 'scripts/mutants.json'), 'utf8'))
const only = values.only?.split(',')
const queue = all.filter(({ id, file }) => (only === undefined || only.includes(id)) && file.includes(values.file ?? ''))
const count = queue.length

/** A copy of the tree that may be broken. */
function copyTree() {
  const dir = mkdtempSync(join(tmpdir(), 'rondo-mutants-'))
  const left = new Set(['node_modules', '.git', 'dist', '.cache'])
  cpSync(root, dir, { recursive: true, filter: (path) => !left.has(relative(root, path)) })
  // Some tests look at the built package; it stays whole.
  for (const name of ['node_modules', 'dist']) if (existsSync(join(root, name))) symlinkSync(join(root, name), join(dir, name))
  return dir
}

/**
 * Whether the tests pass. A run that takes too long has not: a loop without end is noticed.
 * @param {string} dir @param {string[]} tests @returns {Promise<{ passed: boolean, output: string }>}
 */
function run(dir, tests) {
  if (tests.length === 0) return Promise.resolve({ passed: true, output: '' })
  return new Promise((resolve) => {
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests, '--bail', '1', '--reporter', 'dot', '--no-color']
    // What a run leaves that is killed goes with the copy.
    const env = { ...process.env, TMPDIR: dir }
    const child = spawn(process.execPath, args, { cwd: dir, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output = (output + chunk).slice(-4_000)))
    // The whole group: vitest has workers of its own.
    const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), limitMs)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ passed: code === 0, output })
    })
  })
}

/** @param {string} dir @param {Mutant} mutant @returns {Promise<'killed' | 'SURVIVED' | 'INVALID'>} */
async function tryMutant(dir, mutant) {
  const path = join(dir, mutant.file)
  const source = readFileSync(path, 'utf8')
  if (source.split(mutant.find).length !== 2) return 'INVALID'
  writeFileSync(path, source.split(mutant.find).join(mutant.replace))
  try {
    for (const tests of groupsFor(mutant.file)) if (!(await run(dir, tests)).passed) return 'killed'
    return 'SURVIVED'
  } finally {
    writeFileSync(path, source)
  }
}

/** @type {Mutant[]} */
const survivors = []

/** @param {string} dir */
async function work(dir) {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const verdict = await tryMutant(dir, mutant)
    if (verdict !== 'killed') survivors.push(mutant)
    const why = verdict === 'INVALID' ? ' (`find` does not occur exactly once)' : ''
    console.log(`${verdict.padEnd(8)} ${mutant.id}: ${mutant.rule}${why}`)
  }
}

const dirs = Array.from({ length: Math.max(1, Math.min(Number(values.workers), count)) }, copyTree)
try {
  for (const tests of new Map(queue.flatMap(({ file }) => groupsFor(file)).map((dirs) => [dirs.join(), dirs])).values()) {
    const whole = await run(dirs[0] ?? root, tests)
    if (!whole.passed) throw new Error(`The tests fail without any mutant; mend that first.\n${whole.output}`)
  }
  await Promise.all(dirs.map(work))
  console.log(`${count - survivors.length} of ${count} mutants killed`)
  process.exitCode = survivors.length === 0 ? 0 : 1
} finally {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
}
