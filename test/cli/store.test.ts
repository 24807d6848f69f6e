import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataFolder, openStore, openToRead } from '../../src/cli/store.ts'
import { CannotRun, processTerminal } from '../../src/cli/terminal.ts'
import { loadDriver } from '../../src/stores/sqlite-driver.ts'
import { newFolder } from './folders.ts'

const place = { env: {}, cwd: '/work', home: '/home/ann', platform: 'linux' }

/** A database that another program, or a later version, has made. */
function database(file: string, statements: string): void {
  const { DatabaseSync } = loadDriver()
  const made = new DatabaseSync(file)
  made.exec(statements)
  made.close()
}

test('sessions lie in RONDO_HOME, else in the data folder that the system has', () => {
  const rows: [Partial<typeof place> & { env?: Record<string, string> }, string][] = [
    [{}, '/home/ann/.local/share/rondo'],
    [{ env: { XDG_DATA_HOME: '/data' } }, '/data/rondo'],
    [{ env: { XDG_DATA_HOME: 'relative' } }, '/home/ann/.local/share/rondo'],
    [{ env: { RONDO_HOME: '/r', XDG_DATA_HOME: '/data' } }, '/r'],
    [{ env: { RONDO_HOME: 'r' } }, '/work/r'],
    [{ env: { RONDO_HOME: '' } }, '/home/ann/.local/share/rondo'],
    [{ platform: 'darwin' }, '/home/ann/Library/Application Support/rondo'],
    [{ platform: 'win32', env: { LOCALAPPDATA: '/local' } }, '/local/rondo'],
    [{ platform: 'win32' }, '/home/ann/AppData/Local/rondo'],
  ]
  for (const [own, folder] of rows) expect([own, dataFolder({ ...place, ...own })]).toEqual([own, folder])
})

test('without a home folder there is no place: nothing is kept or looked for in whatever folder one stands', async () => {
  const nowhere = { ...place, home: '' }
  const { store, unkept } = await openStore(nowhere)
  await store.close()
  expect(unkept).toBe('No home folder is known here, so there is no place for sessions. Name a folder for them: RONDO_HOME=FOLDER')
  await expect(openToRead(nowhere)).rejects.toThrow(CannotRun)
  expect(existsSync('.local')).toBe(false)
})

test('a HOME that is no absolute path is none: the account has one', () => {
  const { HOME } = process.env
  try {
    for (const home of ['', 'relative']) {
      process.env['HOME'] = home
      expect(processTerminal().home).toBe(userInfo().homedir)
    }
  } finally {
    process.env['HOME'] = HOME
  }
})

describe('opening', () => {
  test('makes the folder and the file, for their owner only', async () => {
    const home = join(newFolder(), 'a', 'b')
    const { store, unkept } = await openStore({ ...place, env: { RONDO_HOME: home } })
    await store.close()
    expect(unkept).toBe(undefined)
    expect([home, join(home, 'sessions.db')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
  })

  test('a folder that can not be made: a store in memory, and why', async () => {
    const home = join(newFolder({ file: '' }), 'file')
    const { store, unkept } = await openStore({ ...place, env: { RONDO_HOME: home } })
    expect(unkept).toMatch(/could not be created \(.*\)\. .*RONDO_HOME names another folder\.$/)
    expect(await store.list()).toEqual([])
  })

  // Root may write anything.
  test.skipIf(process.getuid?.() === 0)('a file that can only be read: a store in memory, and why', async () => {
    const home = newFolder()
    const at = { ...place, env: { RONDO_HOME: home } }
    await (await openStore(at)).store.close()
    chmodSync(join(home, 'sessions.db'), 0o400)
    expect((await openStore(at)).unkept).toContain('RONDO_HOME')
  })

  test('a file of a newer version, of another program, or damaged: it stops and changes nothing', async () => {
    const rows: [(file: string) => void, RegExp][] = [
      [(file) => database(file, 'pragma application_id = 1382966383; pragma user_version = 99'), /has format 99.*update Rondo/],
      [(file) => database(file, 'create table theirs (x)'), /belongs to another program/],
      [(file) => writeFileSync(file, 'nothing '.repeat(2000)), /damaged or no SQLite database/],
      [(file) => mkdirSync(file), /sessions\.db/],
    ]
    for (const [make, message] of rows) {
      const home = newFolder()
      make(join(home, 'sessions.db'))
      const at = { ...place, env: { RONDO_HOME: home } }
      for (const open of [openStore, openToRead]) {
        const refused = await open(at).then(
          () => expect.fail(`${message} did not stop`),
          (error: unknown) => error,
        )
        expect(refused).toBeInstanceOf(CannotRun)
        expect((refused as CannotRun).message).toMatch(message)
      }
    }
  })
})
