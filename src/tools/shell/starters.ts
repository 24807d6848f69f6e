/** Commands that start others, which they are given. */
const starting: ReadonlySet<string> = new Set(
  (
    'sh bash dash ash zsh ksh mksh fish csh tcsh busybox toybox eval exec source . command builtin env xargs parallel sudo doas su runuser nohup nice ' +
    'ionice timeout time setsid stdbuf chroot unshare nsenter flock watch script expect ssh npx bunx pnpx uvx pipx trap'
  ).split(' '),
)

/** Commands that change what the next ones in the line mean. */
const changing: ReadonlySet<string> = new Set(
  'alias unalias cd pushd popd export set shopt unset readonly local declare typeset enable hash bind read mapfile readarray umask'.split(
    ' ',
  ),
)

interface Ways {
  /** Subcommands that start others, wherever they stand. */
  readonly words?: readonly string[]
  /** Options: single letters, and long names. */
  readonly letters?: string
  readonly long?: readonly string[]
  /** Words that are looked for as they are. */
  readonly exact?: readonly string[]
}

const packageManager: Ways = {
  words: ['exec', 'x', 'dlx', 'config', 'explore', 'edit', 'set-script'],
  letters: 'Cc',
  long: 'script-shell shell node-options prefix userconfig globalconfig init-module git editor viewer call cwd dir'.split(' '),
}

const ways: ReadonlyMap<string, Ways> = new Map<string, Ways>([
  ['find', { exact: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls'.split(' ') }],
  ['fd', { letters: 'xX', long: ['exec', 'exec-batch'] }],
  [
    'git',
    {
      words: 'config bisect submodule filter-branch difftool mergetool daemon upload-pack receive-pack'.split(' '),
      letters: 'cCOxu',
      long: (
        'config-env exec-path git-dir work-tree upload-pack receive-pack exec extcmd open-files-in-pager ext-diff textconv output ' +
        'template separate-git-dir no-index'
      ).split(' '),
    },
  ],
  ['npm', packageManager],
  ['pnpm', packageManager],
  ['yarn', packageManager],
  ['bun', packageManager],
  [
    'tar',
    { letters: 'IF', long: 'to-command checkpoint-action use-compress-program rsh-command info-script new-volume-script'.split(' ') },
  ],
  ['sort', { letters: 'oT', long: ['compress-program', 'output'] }],
  ['rg', { long: ['pre', 'hostname-bin'] }],
  ['rsync', { letters: 'e', long: ['rsh', 'rsync-path'] }],
  ['man', { letters: 'PH', long: ['pager', 'html'] }],
  ['go', { words: ['generate'], long: ['exec', 'toolexec', 'vettool'] }],
  ['cargo', { words: ['install'], long: ['config', 'manifest-path'], letters: 'CZ' }],
])

export function isStarter(name: string): boolean {
  return starting.has(baseName(name))
}

/** Whether a name alone is too much for a permission with a `*`. */
export function isTooMuch(name: string): boolean {
  return isStarter(name) || changing.has(baseName(name))
}

/** Whether a permission with a `*` is too much for this command with these arguments. Knows the usual ways, not all there are. */
export function doesTooMuch([name = '', ...args]: readonly string[]): boolean {
  if (isTooMuch(name)) return true
  const { words = [], letters = '', long = [], exact = [] } = ways.get(baseName(name)) ?? {}
  if (args.some((arg) => exact.includes(arg))) return true
  if (args.some((arg) => words.includes(arg))) return true
  return args.some((arg) => {
    const option = /^(--?)([^=]+)/.exec(arg)
    if (option === null) return false
    const [, dashes, text = ''] = option
    // Tools take any beginning of a long name, some behind one dash too.
    if ((dashes === '--' || text.length > 1) && long.some((one) => one.startsWith(text))) return true
    return dashes === '-' && [...letters].some((letter) => arg.includes(letter))
  })
}

export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}
