import { given } from '../providers/variables.ts'
import { oneLine } from '../text.ts'
import type { Check, Looked } from './check.ts'
import { withoutCredentials } from './masked.ts'

interface Part {
  readonly name: string
  readonly version: string
  readonly use: string
}

/** Packages that Rondo takes when they are there. */
const parts: readonly Part[] = [
  { name: '@mdream/js', version: '1', use: 'makes web pages readable' },
  { name: 'just-bash', version: '3', use: 'is the sandbox of --sandbox' },
  { name: 'node-llama-cpp', version: '3', use: 'runs GGUF files: --model llama-cpp:FILE' },
  { name: '@photostructure/sqlite', version: '1', use: 'keeps sessions where Node has no SQLite' },
]

export function checkParts({ installed }: Looked): Check[] {
  return parts.map(({ name, version, use }) => {
    const found = installed.packageVersion(name)
    const facts = { installed: found ?? null }
    if (found !== undefined) return { name, state: 'ok', text: `${oneLine(found)} (${use})`, facts }
    if (name === '@photostructure/sqlite' && installed.hasNodeSqlite)
      return { name, state: 'ok', text: 'not installed, and not needed: Node has SQLite', facts }
    return { name, state: 'note', text: `not installed (${use})`, next: `npm install ${name}@${version}`, facts }
  })
}

export function checkTerminal({ terminal }: Looked): Check {
  const { stdin, stdout, stderr, env } = terminal
  const kind = (isTTY: boolean) => (isTTY ? 'a screen' : 'no screen')
  const unicode = hasUnicode(terminal)
  const columns = stdout.columns ?? stderr.columns
  const facts = {
    stdin: stdin.isTTY,
    stdout: stdout.isTTY,
    stderr: stderr.isTTY,
    color: stderr.color,
    columns: columns ?? null,
    unicode,
    term: env['TERM'] ?? null,
  }
  const text = [
    `input ${kind(stdin.isTTY)}, output ${kind(stdout.isTTY)}, messages ${kind(stderr.isTTY)}`,
    stderr.color ? 'colours' : 'no colours',
    columns === undefined ? 'columns unknown' : `${columns} columns`,
    unicode ? 'Unicode' : 'no Unicode',
  ].join('; ')
  if (unicode) return { name: 'terminal', state: 'ok', text, facts }
  return { name: 'terminal', state: 'note', text, next: 'Signs as ✓ may look wrong: export LANG=C.UTF-8', facts }
}

/** As the locale says (POSIX: the first of these that is not empty); on Windows only its newer terminal says so. */
function hasUnicode({ env, platform }: Looked['terminal']): boolean {
  if (platform === 'win32') return (env['WT_SESSION'] ?? '') !== ''
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG'].map((name) => env[name] ?? '').find((value) => value !== '') ?? ''
  return /utf-?8/i.test(locale)
}

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'] as const

export function checkProxies({ terminal: { env } }: Looked): Check {
  const found = proxies
    .flatMap((name) => [name.toLowerCase(), name])
    .flatMap((name) => {
      const value = given(env[name])
      if (value === undefined) return []
      return [[name, name.toUpperCase() === 'NO_PROXY' ? oneLine(value) : oneLine(withoutCredentials(value))] as const]
    })
  const text = found.map(([name, value]) => `${name} ${value}`).join('; ')
  return { name: 'proxies', state: 'ok', text: text === '' ? 'none in the environment' : text, facts: Object.fromEntries(found) }
}
