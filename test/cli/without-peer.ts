import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newFolder } from './folders.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The built package in a folder of its own, with its dependencies and without the optional peer. */
export function withoutPeer({ manifest = true } = {}): { readonly home: string; readonly command: string } {
  const own = readFileSync(join(root, 'package.json'), 'utf8')
  const folder = newFolder(manifest ? { 'package.json': own } : {})
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  if (!manifest) writeFileSync(join(folder, 'dist', 'package.json'), own.replaceAll('./dist/', './'))
  mkdirSync(join(folder, 'node_modules', '@cfworker'), { recursive: true })
  const { dependencies } = JSON.parse(own) as { readonly dependencies: { readonly [name: string]: string } }
  for (const name of Object.keys(dependencies)) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  // One that exports nothing: a copy in a folder further up must not be found.
  const peer = join(folder, 'node_modules', '@photostructure', 'sqlite')
  mkdirSync(peer, { recursive: true })
  writeFileSync(join(peer, 'package.json'), '{ "name": "@photostructure/sqlite", "exports": {} }')
  const home = join(folder, 'home')
  mkdirSync(home)
  // `show` looks for the file before it looks for a driver.
  cpSync(join(folder, 'dist', 'index.js'), join(home, 'sessions.db'))
  return { home, command: join(folder, 'dist', 'cli', 'main.js') }
}
