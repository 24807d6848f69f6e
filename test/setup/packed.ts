import type { SpawnSyncReturns } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The package as a user gets it: packed, and installed with npm, for every Node that it promises to run on.

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The folder of a Node's binary by major version; `undefined` where it is not at hand. */
export function nodes(): [major: number, binFolder: string | undefined][] {
  const own = Number(process.versions.node.split('.')[0])
  return [...new Set([own, 20, 22, 24])].map((major) => {
    if (major === own) return [major, dirname(process.execPath)]
    const folder = join(root, '.cache', 'nodes', 'node_modules', `node${major}`, 'bin')
    return [major, existsSync(join(folder, 'node')) ? folder : undefined]
  })
}

/** The path with the given Node first. */
export function pathWith(binFolder: string): string {
  return `${binFolder}${delimiter}${process.env['PATH'] ?? ''}`
}

/** Runs a program with the given Node first on the path, without what a surrounding `npm run` put into the environment. */
export function run(binFolder: string, cwd: string, program: string, ...args: string[]): SpawnSyncReturns<string> {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_(OPTIONS|ENV|PATH)|VITEST)/.test(name),
  )
  const env = { ...Object.fromEntries(clean), PATH: pathWith(binFolder), NO_COLOR: '1' }
  return spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 120_000, input: '' })
}

/** As `run`, for what must succeed. */
export function succeed(binFolder: string, cwd: string, program: string, ...args: string[]): string {
  const { status, signal, stdout, stderr, error } = run(binFolder, cwd, program, ...args)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${error?.message ?? signal ?? status}\n${stdout}\n${stderr}`)
  return stdout
}

/** Packs the built package into a folder; gives the name of the file. */
export function packInto(folder: string): string {
  if (!existsSync(join(root, 'dist', 'index.js'))) throw new Error('dist is missing: run npm run build first')
  succeed(dirname(process.execPath), root, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack made no file')
  return tarball
}

/** Installs a packed package into a folder that has a package.json. */
export function install(tarball: string, folder: string, ...flags: string[]): void {
  succeed(dirname(process.execPath), folder, 'npm', 'install', tarball, '--no-audit', '--no-fund', '--prefer-offline', ...flags)
}
