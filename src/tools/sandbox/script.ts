/**
 * What runs in the thread of a command: a shell whose files are asked for by messages. A text, because a thread begins with a file, and which file this
 * code is in depends on how it was packed.
 *
 * In: `{ id, value }` or `{ id, error, code }` answers a request, `{ abort: true }` ends the command. Out: `{ id, method, args }` asks for something,
 * `{ done: { output, errors, exitCode } }` is the end.
 */
export const shellScript = `
const { parentPort, workerData } = require('node:worker_threads')
const { resolve } = require('node:path').posix
const { library, command, cwd, env, limits, withoutCommands } = workerData
const port = parentPort
const waiting = new Map()
const stop = new AbortController()
let last = 0
port.on('message', ({ abort, id, value, error, code }) => {
  if (abort === true) return stop.abort()
  const { done, failed } = waiting.get(id)
  waiting.delete(id)
  if (error === undefined) done(value)
  else failed(Object.assign(new Error(error), { code }))
})
const ask = (method, ...args) =>
  new Promise((done, failed) => {
    const id = ++last
    waiting.set(id, { done, failed })
    port.postMessage({ id, method, args })
  })
const nameOf = (options) => (typeof options === 'string' ? options : options?.encoding) ?? 'utf8'
const asBytes = (content, options) =>
  typeof content === 'string' ? Buffer.from(content, nameOf(options) === 'binary' ? 'latin1' : nameOf(options)) : content
const read = async (path) => Buffer.from(await ask('readFile', path))
const fs = {
  readFile: async (path, options) => (await read(path)).toString(nameOf(options)),
  readFileBytes: async (path) => (await read(path)).toString('latin1'),
  readFileBuffer: (path) => ask('readFile', path),
  writeFile: (path, content, options) => ask('writeFile', path, asBytes(content, options)),
  appendFile: (path, content, options) => ask('appendFile', path, asBytes(content, options)),
  exists: (path) => ask('exists', path),
  stat: (path) => ask('stat', path),
  lstat: (path) => ask('lstat', path),
  mkdir: (path, options) => ask('mkdir', path, options?.recursive ? 'all' : 'one'),
  readdir: async (path) => (await ask('readdir', path)).map(({ name }) => name),
  readdirWithFileTypes: (path) => ask('readdir', path),
  rm: (path, options) =>
    ask('rm', path, options?.recursive ? 'all' : 'empty').catch((error) => {
      if (!(options?.force && error.code === 'ENOENT')) throw error
    }),
  cp: (from, to, options) => ask('cp', from, to, options?.recursive ? 'all' : 'file'),
  mv: (from, to) => ask('mv', from, to),
  resolvePath: (base, path) => resolve(base, path),
  getAllPaths: () => [],
  chmod: (path, mode) => ask('chmod', path, mode),
  symlink: (target, path) => ask('symlink', target, path),
  link: (from, to) => ask('link', from, to),
  readlink: (path) => ask('readlink', path),
  realpath: (path) => ask('realpath', path),
  utimes: (path, accessed, changed) => ask('utimes', path, changed),
}
const { Bash, getCommandNames } = require(library)
const commands = getCommandNames().filter((name) => !withoutCommands.includes(name))
const bash = new Bash({ fs, cwd, env, commands, executionLimits: limits })
bash.exec(command, { rawScript: true, signal: stop.signal }).then(
  ({ stdout, stderr, stdoutKind, exitCode }) =>
    port.postMessage({ done: { output: Buffer.from(stdout, stdoutKind === 'bytes' ? 'latin1' : 'utf8'), errors: Buffer.from(stderr), exitCode } }),
  (error) => port.postMessage({ done: { output: Buffer.alloc(0), errors: Buffer.from('bash: ' + error.message + '\\n'), exitCode: 126 } }),
)
`
