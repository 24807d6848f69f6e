/** Commands that start others, which they are given. */
const starting: ReadonlySet<string> = new Set(
  (
    'sh bash dash ash zsh ksh mksh fish csh tcsh busybox toybox eval exec source . command builtin env xargs parallel sudo doas su runuser nohup nice ' +
    'ionice timeout time setsid stdbuf chroot unshare nsenter flock watch script expect ssh npx bunx pnpx uvx pipx trap pkexec gosu sg setpriv ' +
    'prlimit taskset chrt numactl setarch linux32 linux64 i386 x86_64 runcon strace ltrace gdb valgrind perf unbuffer rlwrap entr chronic caffeinate hyperfine ' +
    'fakeroot bwrap firejail systemd-run start-stop-daemon at batch crontab tmux screen pwsh powershell compgen complete jobs mapfile readarray fc hist'
  ).split(' '),
)

/** Commands that change what the next ones in the line mean. */
const changing: ReadonlySet<string> = new Set(
  (
    'alias unalias cd pushd popd export set shopt unset readonly local declare typeset integer float nameref compound enable hash bind read umask let ' +
    'getopts wait compopt redirect autoload'
  ).split(' '),
)

/** Builtins that may take a text for arithmetic or the name of a variable, and run a substitution in it, even one that was quoted: `test -v 'a[$(x)]'`. */
const evaluating: ReadonlySet<string> = new Set(
  (
    'test [ printf print let unset read getopts wait declare typeset local export readonly integer float nameref mapfile readarray compgen exit return ' +
    'break continue shift ulimit'
  ).split(' '),
)

interface Ways {
  /** Subcommands that start others, wherever they stand. */
  readonly words?: readonly string[]
  /** Options: single letters, and long names. */
  readonly letters?: string
  readonly long?: readonly string[]
  /** Words that are looked for as they are. */
  readonly exact?: readonly string[]
  /** The first argument may hold letters without a dash. */
  readonly bare?: true
}

const packageManager: Ways = {
  words: ['exec', 'x', 'dlx', 'config', 'explore', 'edit', 'set-script'],
  letters: 'Cc',
  // Of pnpm: `--config.script-shell=x`.
  long: 'config script-shell shell use-yarnrc node-options prefix userconfig globalconfig init-module git editor viewer call cwd dir'.split(
    ' ',
  ),
}

const finding: Ways = { exact: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls'.split(' ') }
const containers: Ways = { words: ['exec', 'run', 'debug', 'compose', 'cp'] }

const ways: ReadonlyMap<string, Ways> = new Map<string, Ways>([
  ['find', finding],
  ['bfind', finding],
  ['fd', { letters: 'xX', long: ['exec', 'exec-batch'] }],
  ['fdfind', { letters: 'xX', long: ['exec', 'exec-batch'] }],
  ['test', { letters: 'vR' }],
  ['printf', { letters: 'v' }],
  ['docker', containers],
  ['podman', containers],
  ['kubectl', containers],
  ['uv', { words: ['run', 'tool'] }],
  ['poetry', { words: ['run'] }],
  ['pipenv', { words: ['run'] }],
  ['bundle', { words: ['exec'] }],
  ['direnv', { words: ['exec'] }],
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
  ['bun', { ...packageManager, letters: 'Ccr', long: [...(packageManager.long ?? []), 'preload', 'require', 'import'] }],
  [
    'tar',
    {
      letters: 'IF',
      bare: true,
      long: 'to-command rmt-command checkpoint-action use-compress-program rsh-command info-script new-volume-script'.split(' '),
    },
  ],
  ['sort', { letters: 'oT', long: ['compress-program', 'output'] }],
  ['rg', { long: ['pre', 'hostname-bin'] }],
  ['rsync', { letters: 'e', long: ['rsh', 'rsync-path'] }],
  ['man', { letters: 'CPH', long: ['config-file', 'pager', 'html'] }],
  ['go', { words: ['generate'], long: ['exec', 'toolexec', 'vettool', 'ldflags', 'gccgoflags', 'overlay'] }],
  ['cargo', { words: ['install'], long: ['config', 'manifest-path'], letters: 'CZ' }],
])

export function isStarter(name: string): boolean {
  // The loader of programs too.
  return starting.has(tableName(name)) || /^ld(?:-linux|-musl|\.so|64\.so)/.test(tableName(name))
}

/** Whether a name alone is too much for a permission with a `*`. */
export function isTooMuch(name: string): boolean {
  return isStarter(name) || changing.has(tableName(name))
}

/** The arguments in which a shell itself would run a substitution that was quoted. */
export function evaluatedTexts([name = '', ...args]: readonly string[]): readonly string[] {
  return evaluating.has(tableName(name)) ? args.filter((arg) => /[$`]/.test(arg)) : []
}

/** Whether one of its words makes a command start others: `npm exec`, `git bisect run`. */
export function hasStartingWord([name = '', ...args]: readonly string[]): boolean {
  const { words = [] } = ways.get(tableName(name)) ?? {}
  return args.some((arg) => words.includes(arg))
}

/** Whether a permission with a `*` is too much for this command with these arguments. Knows the usual ways, not all there are. */
export function doesTooMuch(command: readonly string[]): boolean {
  const [name = '', ...args] = command
  if (isTooMuch(name) || evaluatedTexts(command).length > 0 || hasStartingWord(command)) return true
  const { letters = '', long = [], exact = [], bare } = ways.get(tableName(name)) ?? {}
  if (args.some((arg) => exact.includes(arg))) return true
  return args.some((arg, at) => {
    const option = /^(--?)([^=]+)/.exec(arg)
    const hasLetter = [...letters].some((letter) => arg.includes(letter))
    if (option === null) return bare === true && at === 0 && hasLetter
    const [, dashes, text = ''] = option
    // Tools take any beginning of a long name, some behind one dash too.
    if ((dashes === '--' || text.length > 1) && long.some((one) => one.startsWith(text) || text.startsWith(`${one}.`))) return true
    return dashes === '-' && hasLetter
  })
}

export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** As the tables have it: without its folder, in small letters, and without the `g` that GNU programs bear beside others. */
export function tableName(name: string): string {
  const base = baseName(name).toLowerCase()
  const plain = base.slice(1)
  return base.startsWith('g') && (starting.has(plain) || ways.has(plain)) ? plain : base
}
