// How the command ends when somebody ends it, in a terminal that sends the signals itself.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { newFolder } from '../cli/folders.ts'
import { harbour } from './harbour.ts'
import { modelServer, says, saysAndHangs } from './model-server.ts'
import { type OpenTerminal, openTerminal } from './open-terminal.ts'
import { describeInTerminal } from './pty.ts'

/** What `rondo show notes` says to the same user afterwards. */
async function shown({ home }: OpenTerminal): Promise<string> {
  const terminal = await openTerminal({ args: ['show', 'notes'], home, rows: 50 })
  expect(await terminal.exit()).toEqual({ code: 0, signal: undefined })
  return terminal.lines()
}

/** Makes the file system hang for one file, and the time that a call has to end after an abort endless. */
const stuck = `
  import fs from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const { open } = fs
  const { setTimeout } = globalThis
  fs.open = (path, ...more) => (String(path).endsWith('tides.csv') ? new Promise(() => {}) : open(path, ...more))
  globalThis.setTimeout = (callback, ms, ...more) => setTimeout(callback, ms > 500 ? 2 ** 31 - 1 : ms, ...more)
  syncBuiltinESMExports()`

/** Node 20 aborts at the very end, when it wants to put back the modes of a terminal that is gone. Newer ones do not. */
const endWithoutTerminal =
  Number(process.versions.node.split('.')[0]) < 22 ? { code: undefined, signal: 'SIGABRT' } : { code: 130, signal: undefined }

describeInTerminal('the end', () => {
  test('Ctrl-C aborts the run: 130, and the session is kept', async () => {
    await using model = await modelServer([saysAndHangs('Well, ')])
    const terminal = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, 'look'] })
    await terminal.waitFor('Well,')
    terminal.press('ctrl-c')
    expect(await terminal.exit()).toEqual({ code: 130, signal: undefined })
    expect(terminal.screen()).toMatch(/\nWell,\n\naborting …\n\naborted · .*\nInterrupted by Ctrl-C\.\nsession notes · rondo show notes\n$/)
    expect(await shown(terminal)).toMatch(/\n> look\n[\s\S]*\naborted · .*\n {2}models .*\n {2}Interrupted by Ctrl-C\.\n$/)
  })

  test('a second Ctrl-C ends it at once, whatever hangs: 130, and the session can be read', async () => {
    await using model = await modelServer([says('I read. ', { name: 'read_file', input: { path: 'tides.csv' } })])
    const preload = pathToFileURL(join(newFolder({ 'stuck.mjs': stuck }), 'stuck.mjs')).href
    const env = { NODE_OPTIONS: `--import ${preload}` }
    const terminal = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, 'look'], cwd: harbour(), env })
    await terminal.waitFor('running …')
    terminal.press('ctrl-c')
    await terminal.waitFor('aborting …')
    // The same press may reach a command twice under npm: what follows within a quarter of a second does not count.
    const impatient = setInterval(() => terminal.press('ctrl-c'), 50)
    const ended = await terminal.exit().finally(() => clearInterval(impatient))
    expect(ended).toEqual({ code: 130, signal: undefined })
    expect(terminal.lines()).not.toContain('aborted')
    expect(await shown(terminal)).toMatch(/\n> look\n[\s\S]*read_file[\s\S]*unfinished/)
  })

  test('the window is closed: the run is aborted, and its session says why', async () => {
    await using model = await modelServer([saysAndHangs('Well, ')])
    const terminal = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, 'look'] })
    await terminal.waitFor('Well,')
    terminal.closeWindow()
    expect(await terminal.exit()).toEqual(endWithoutTerminal)
    expect(await shown(terminal)).toMatch(/\naborted · .*\n {2}models .*\n {2}The terminal was closed\.\n$/)
  })

  test('Ctrl-\\ belongs to the terminal: the command does not take it', async () => {
    await using model = await modelServer([saysAndHangs('Well, ')])
    const terminal = await openTerminal({ args: ['run', ...model.flags, 'look'] })
    await terminal.waitFor('Well,')
    terminal.type('\u001c')
    expect((await terminal.exit()).signal).toBe('SIGQUIT')
  })
})
