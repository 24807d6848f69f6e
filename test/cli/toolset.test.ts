import { describe, expect, test } from 'vitest'
import { CannotRun } from '../../src/cli/terminal.ts'
import { chosenTools, type ToolFlags, toolsFor } from '../../src/cli/toolset.ts'
import type { Ask } from '../../src/index.ts'
import { newFolder } from './folders.ts'

const all = ['list_files', 'find_files', 'read_file', 'search_text', 'file_info', 'write_file', 'edit_file', 'shell', 'fetch_url']

function names(flags: ToolFlags, platform = 'linux'): readonly string[] {
  return toolsFor(newFolder(), flags, { platform }).tools.map((tool) => ('name' in tool ? tool.name : ''))
}

/** What a call of the tool asks for. */
async function asks(flags: ToolFlags, name: string, input: unknown): Promise<boolean | Ask> {
  const tool = toolsFor(newFolder(), flags, { platform: 'linux' }).tools.find((one) => 'name' in one && one.name === name)
  const definition = (
    tool as unknown as Record<'~definition', { readonly needsApproval?: boolean | ((...given: unknown[]) => boolean | Ask) }>
  )['~definition']
  const { needsApproval = false } = definition
  return typeof needsApproval === 'function' ? await needsApproval(input, {}) : needsApproval
}

describe('which tools', () => {
  test('all, unless some are named: by group or by name', () => {
    expect(names({})).toEqual(all)
    expect(names({ tools: ['none'] })).toEqual([])
    expect(names({ tools: ['fetch', 'read_file', 'write'] })).toEqual(['read_file', 'write_file', 'edit_file', 'fetch_url'])
  })

  test('on Windows there is no shell', () => {
    expect(names({ tools: ['shell'] })).toEqual(['shell'])
    expect(names({}, 'win32')).not.toContain('shell')
  })

  test('a name that there is not is refused, with those that there are', () => {
    expect(() => chosenTools(['raed'])).toThrow(CannotRun)
    expect(() => chosenTools(['raed'])).toThrow(
      'There is no tool raed. There are read, write, shell, fetch, all, none; or by name: list_files,',
    )
    expect(() => chosenTools(['constructor'])).toThrow(CannotRun)
  })
})

describe('in a sandbox', () => {
  test('the same tools, none of which asks but the one that reaches the network', async () => {
    expect(names({ sandbox: true })).toEqual(all)
    expect(await asks({ sandbox: true }, 'write_file', { path: 'a', content: '' })).toBe(false)
    expect(await asks({ sandbox: true }, 'shell', { command: 'rm -rf .' })).toBe(false)
    expect(() => toolsFor(newFolder(), { denyCommand: [' '] }, { platform: 'linux' })).toThrow("need a pattern, as 'npm test'")
    expect(await asks({ sandbox: true }, 'fetch_url', { url: 'https://example.com' })).not.toBe(false)
  })

  test('it is kept when the tools are chosen anew', () => {
    const folder = newFolder()
    const first = toolsFor(folder, { sandbox: true }, { platform: 'linux' })
    const second = toolsFor(folder, { sandbox: true, tools: ['read'] }, { platform: 'linux' }, first.sandbox)
    expect(second.sandbox).toBe(first.sandbox)
  })
})

describe('what is asked about', () => {
  test('reading is not; writing, commands and pages are', async () => {
    expect(await asks({}, 'read_file', { path: 'a' })).toBe(false)
    expect(await asks({}, 'write_file', { path: 'a', content: '' })).toBe(true)
    expect(await asks({}, 'shell', { command: 'ls' })).toMatchObject({ reason: expect.any(String) })
    expect(await asks({}, 'fetch_url', { url: 'https://example.com/?q=secret' })).toEqual({
      reason: 'It would ask example.com, which then reads the whole URL.',
      rememberAs: 'example.com',
    })
  })

  test('with --yes nothing is', async () => {
    for (const [name, input] of [
      ['write_file', { path: 'a', content: '' }],
      ['edit_file', { path: 'a', edits: [] }],
      ['shell', { command: 'ls' }],
      ['fetch_url', { url: 'https://example.com' }],
    ] as const)
      expect(await asks({ yes: true }, name, input)).toBe(false)
  })

  test('allowed commands and hosts are not', async () => {
    expect(await asks({ allowCommand: ['npm test'] }, 'shell', { command: 'npm test' })).toBe(false)
    expect(await asks({ allowCommand: ['npm test'] }, 'shell', { command: 'npm test; rm -rf .' })).not.toBe(false)
    const fetchHosts = ['example.com', '*.example.org']
    const isAsked = async (url: string) => (await asks({ fetchHosts }, 'fetch_url', { url })) !== false
    const urls = [
      'https://example.com/a',
      'https://a.example.org',
      'https://example.org',
      'https://evilexample.org',
      'https://a.example.com',
      'nonsense',
      'https://example.com:8443/',
    ]
    expect(await Promise.all(urls.map(isAsked))).toEqual([false, false, true, true, true, true, true])
  })

  test('a denied command is refused whatever is said', async () => {
    expect(await asks({ yes: true, denyCommand: ['rm *'] }, 'shell', { command: 'rm -rf .' })).toBe(false)
    expect(() => toolsFor(newFolder(), { allowCommand: [''] }, { platform: 'linux' })).toThrow(CannotRun)
  })
})
