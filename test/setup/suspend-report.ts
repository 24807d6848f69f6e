import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { exempt } from './exempt.ts'

let folder: string | undefined

/** Of always-suspend mode: the workers count into a file, and the sum must not be zero. */
export function setup(project: TestProject): void {
  const { env } = project.config as { readonly env?: { readonly [name: string]: unknown } }
  if (env?.['RONDO_ALWAYS_SUSPEND'] !== '1') return
  folder = mkdtempSync(join(tmpdir(), 'rondo-suspend-'))
  const file = join(folder, 'counts')
  writeFileSync(file, '')
  process.env['RONDO_SUSPEND_COUNTS'] = file
}

export function teardown(): void {
  const file = process.env['RONDO_SUSPEND_COUNTS']
  if (folder === undefined || file === undefined) return
  let reloads = 0
  let commits = 0
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [own, checkedCommits] = line.split(' ')
    reloads += Number(own ?? 0)
    commits += Number(checkedCommits ?? 0)
  }
  rmSync(folder, { recursive: true })
  const list = exempt.map(({ path, test, reason }) => `  ${path}${test === undefined ? '' : ` > ${test}`}: ${reason}`)
  console.log(
    `always-suspend: ${reloads} reloads, ${commits} commits checked against the fold of the journal. Exempt:\n${list.join('\n')}\n`,
  )
  if (reloads === 0) throw new Error('always-suspend: nothing was ever reloaded, so nothing was tested')
}
