// `npm run test:nodes`: the tests of the transport and of all adapters on each Node that the package promises to run on and that this is not.
// One line says how it went on each, after what did not pass. A Node that is not at hand is named, and fails nothing.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const majors = [20, 22, 24]

/** Whatever stands in `test/models`, so that nobody has to think of this list, but for what asks nothing of a Node: pure functions over JSON. */
const notHere = ['schema', 'registry', 'history']
const folders = readdirSync(join(root, 'test/models'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !notHere.includes(entry.name))
  .map(({ name }) => `test/models/${name}/`)

/** What random scripts and bytes find is found by the main run, and no matter of the Node. */
const drawn = ['scripts.test.ts', 'fuzz.test.ts']

/** The program of a Node; `undefined` where it is not at hand. @param {number} major */
function programOf(major) {
  const program = join(root, '.cache/nodes/node_modules', `node${major}`, 'bin/node')
  return existsSync(program) ? program : undefined
}

/** Says what was printed, should it not end well. @param {string} program @param {string} report */
async function runTests(program, report) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}` }
  const excluded = drawn.map((file) => `--exclude=**/${file}`)
  const args = [vitest, 'run', ...folders, ...excluded, '--reporter=json', `--outputFile=${report}`]
  try {
    await run(program, args, { cwd: root, env, maxBuffer: 2 ** 28 })
    return undefined
  } catch (error) {
    const { stdout = '', stderr = '', message } = /** @type {Error & { readonly stdout?: string, readonly stderr?: string }} */ (error)
    return `${message}\n${stdout}\n${stderr}`
  }
}

/** @typedef {{ readonly fullName: string, readonly status: string, readonly failureMessages: readonly string[] }} Result */
/** @typedef {{ readonly name: string, readonly message: string, readonly status: string, readonly assertionResults: readonly Result[] }} File */

/** What did not pass, each with its reason. @param {readonly File[]} files */
function failures(files) {
  return files.flatMap(({ name, message, status, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed')
    if (failed.length === 0 && status === 'failed') return [`${name}\n${message}`]
    return failed.map(({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages.join('\n')}`)
  })
}

/** Runs the tests on a Node, and says how it went: whether it is good. @param {number} major */
async function check(major) {
  const program = programOf(major)
  if (program === undefined) {
    console.log(`not checked: node ${major} is not in .cache/nodes (npm run nodes puts it there)`)
    return true
  }
  const folder = mkdtempSync(join(tmpdir(), 'rondo-nodes-'))
  try {
    const report = join(folder, 'report.json')
    const printed = await runTests(program, report)
    /** @type {{ readonly numPassedTests: number, readonly testResults: readonly File[] }} */
    const { numPassedTests, testResults } = existsSync(report)
      ? JSON.parse(readFileSync(report, 'utf8'))
      : { numPassedTests: 0, testResults: [] }
    const failed = failures(testResults)
    const good = printed === undefined && failed.length === 0 && numPassedTests > 0
    if (!good) console.log(failed.length === 0 ? printed : failed.join('\n\n'))
    const version = (await run(program, ['-p', 'process.versions.node'])).stdout.trim()
    const what = `${numPassedTests} tests in ${testResults.length} files of the transport and the adapters passed`
    console.log(`node ${version}: ${what}${good ? '' : `, ${failed.length} did not`}`)
    return good
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const own = Number(process.versions.node.split('.')[0])
// At the same time: much of it is waiting.
const results = await Promise.all(majors.filter((major) => major !== own).map(check))
process.exitCode = results.every(Boolean) ? 0 : 1
