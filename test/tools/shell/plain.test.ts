import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainLine } from '../../../src/tools/shell/plain.ts'
import { seenCommands } from '../../../src/tools/shell/seen.ts'
import { folder } from './call.ts'

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/ksh'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

/** Commands that write their name and arguments to a file, each between signs that no token has. */
function makeCommands(): { readonly bin: string; readonly file: string } {
  const bin = folder()
  const file = join(folder(), 'ran')
  for (const name of ['a', 'bb', 'A'])
    writeFileSync(join(bin, name), `#!/bin/sh\n{ printf '<%s>' "${name}" "$@"; echo ';'; } >> ${file}\n`, { mode: 0o755 })
  return { bin, file }
}

const names = ['a', 'bb', 'A', 'a ', 'bb ']
const nasty =
  '-x = x=1 % @ + : , . / ^ ! # ~ * ? [ ] { } ( ) $ $X ` \\ " \' | || & && ; ;; > < 2>&1 >/dev/null 2>/dev/null 1 0 é if then fi time in for - -- {a,b} << <( "a;b" \'a|$(b)\' "é x"'
const tokens = [
  ...names,
  ...names,
  ...nasty.split(' '),
  "'a b'",
  '"a  b"',
  ' ',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '\f',
  '\v',
  '\u00a0',
  '\u2028',
  '\0',
]
const lines = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 9 }).map((some) => some.join(''))

test.each([
  'a "$X"',
  'a "$(b)"',
  'a "`b`"',
  'a "\\""',
  'a $X',
  'a `b`',
  'a *',
  'a ~',
  'a {b,c}',
  'a #',
  'a \\b',
  'a > b',
  'a & b',
  "a 'b",
  'X=1 a',
  'if a',
  'a (b)',
])('the small grammar knows by itself that this is not plain: %j', (line) => {
  expect(plainLine(line)).toBe(undefined)
})

test('two readers read the same commands in whatever is plain', () => {
  fc.assert(
    fc.property(lines, (line) => {
      const plain = plainLine(line)
      const seen = seenCommands(line)
      // A fault is for `judge` to see: it allows nothing then.
      if (plain !== undefined && seen.clear) expect(seen.written).toEqual(plain.commands)
    }),
    { numRuns: 20_000 },
  )
})

test('a shell runs of a plain line what was read, and nothing else', () => {
  const { bin, file } = makeCommands()
  const runnable = lines.filter((line) => plainLine(line)?.commands.every(([name]) => ['a', 'bb', 'A'].includes(name)) === true)
  // `;` alone: with `|` commands write at the same time, with `&&` and `||` some do not run.
  const inOrder = runnable.filter((line) => !/[|&]/.test(line.replaceAll(/'[^']*'|"[^"]*"|2>&1/g, '')))
  fc.assert(
    fc.property(inOrder, (line) => {
      const expected = (plainLine(line)?.commands ?? []).map((words) => `${words.map((word) => `<${word}>`).join('')};\n`).join('')
      for (const shell of shells) {
        writeFileSync(file, '')
        spawnSync(shell, ['-c', '--', line], { env: { PATH: bin, X: 'y' }, cwd: bin })
        expect([shell, readFileSync(file, 'utf8')]).toEqual([shell, expected])
      }
    }),
    { numRuns: 60 },
  )
}, 60_000)
