import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { contentsOf } from '../tools/files/write/writing.ts'
import { endLeases, killChildren, newPlace, startChild } from './children.ts'

afterEach(killChildren)

/** A process that is killed before an operation of the disk, then another that goes on: what is there after each, and how the call ended. */
async function killedAt(call: object, at: number) {
  const folder = newPlace()
  const root = join(folder, 'root')
  mkdirSync(root)
  writeFileSync(join(root, 'a.txt'), 'line\n')
  const first = startChild('editor', folder, JSON.stringify(call), at)
  const end = await first.ended
  const left = contentsOf(root)
  if (end === 'SIGKILL') endLeases(folder)
  const second = end === 'SIGKILL' ? startChild('editor', folder, JSON.stringify(call), 0) : first
  const ended = await second.line('ended')
  await second.ended
  return { isKilled: end === 'SIGKILL', left, now: contentsOf(root), outcome: /\["(\w+)"\]/.exec(ended)?.[1] }
}

async function sweep(call: object) {
  const outcomes: unknown[] = []
  for (let at = 1; ; at++) {
    const one = await killedAt(call, at)
    if (!one.isKilled) return outcomes
    const whole = Object.entries(one.left).filter(([path]) => !path.endsWith('.tmp'))
    outcomes.push([Object.fromEntries(whole), one.now, one.outcome])
  }
}

const old = { 'a.txt': 'line\n' }

test('a process that is killed while it replaces a file', { timeout: 60_000 }, async () => {
  const made = { 'a.txt': 'new\n' }
  expect(await sweep({ name: 'write_file', input: { path: 'a.txt', content: 'new\n' } })).toEqual([
    [old, made, 'ok'], // the temporary file
    [old, made, 'ok'], // its bytes
    [old, made, 'ok'], // to the disk
    [old, made, 'ok'], // its name
    [made, made, 'ok'], // the folder to the disk
  ])
})

test('a process that is killed while it makes a file that must not be there', { timeout: 60_000 }, async () => {
  const folder = { ...old, x: 'folder' }
  const made = { ...folder, 'x/y': 'new\n' }
  expect(await sweep({ name: 'write_file', input: { path: 'x/y', content: 'new\n', exclusive: true } })).toEqual([
    [old, made, 'ok'], // the folder
    [folder, made, 'ok'], // its name to the disk
    [folder, made, 'ok'],
    [folder, made, 'ok'],
    [folder, made, 'ok'],
    [folder, made, 'ok'], // the file's name
    [made, made, 'ok'], // the temporary name is removed
    [made, made, 'ok'],
  ])
})

test('a process that is killed while it edits a file', { timeout: 60_000 }, async () => {
  const edits = [{ old: 'line', new: 'line\nline' }]
  const made = { 'a.txt': 'line\nline\n' }
  expect(await sweep({ name: 'edit_file', input: { path: 'a.txt', edits } })).toEqual([
    [old, old, 'unknown'], // nothing tells that it had not begun
    [old, made, 'ok'],
    [old, made, 'ok'],
    [old, made, 'ok'],
    [made, made, 'unknown'], // nothing tells that it was done
  ])
})
