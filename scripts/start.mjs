// `npm start`: runs the rondo command from this folder, after a quiet build when dist is missing or older than src: the demo, or with words the agent.
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'dist', 'cli', 'main.js')

/** The newest change below a folder, in ms since the epoch; folders count, so that a removed file is seen. @param {string} folder */
function newest(folder) {
  const paths = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
  return Math.max(...paths.map((path) => statSync(join(folder, path)).mtimeMs))
}

function buildIfStale() {
  const built = statSync(command, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const configured = Math.max(...['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => statSync(join(root, name)).mtimeMs))
  if (built > Math.max(newest(join(root, 'src')), configured)) return
  const build = spawnSync('npm', ['run', 'build'], { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' })
  if (build.status === 0) return
  console.error(`${build.stdout ?? ''}${build.stderr ?? ''}${build.error ?? ''}`)
  process.exit(1)
}

buildIfStale()
const args = process.argv.slice(2)
// `npm start -- --act 2` is for the demo too.
const isDemo = /^(--(act|seed)\b|$)/.test(args[0] ?? '')
const child = spawn(process.execPath, [command, isDemo ? 'demo' : 'run', ...args], { stdio: 'inherit' })
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C to the child itself; a second one from here would look like impatience.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  })
}
child.on('error', (error) => {
  console.error(error.message)
  process.exitCode = 1
})
child.on('exit', (code, signal) => {
  // A child that a signal ended is reported as a shell would: by the same signal.
  if (signal === null) process.exitCode = code ?? 1
  else {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
})
