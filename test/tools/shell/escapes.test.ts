import { expect, test } from 'vitest'
import { checkRules, judge } from '../../../src/tools/shell/rules.ts'

/** Patterns of which each looks harmless, or is asked for by somebody who knows what the program does by itself. */
const allow =
  'printf test exit shift break return tar pnpm npm yarn bun man go docker kubectl uv poetry bundle direnv fd fdfind gfind gtar git sort'
    .split(' ')
    .map((name) => `${name} *`)

const starred: readonly [string, string][] = [
  ['a variable that a builtin sets', 'printf -v PATH /tmp/evil\ntest x'],
  ['a variable that a builtin sets, in one word', 'printf -vPATH /tmp/evil'],
  ['a name that a builtin evaluates', "printf -v 'a[$(rm x)]' y"],
  ['a test that evaluates a name', "test -v 'a[$(rm x)]'"],
  ['a test that evaluates a reference', "test -R 'a[`rm x`]'"],
  ['a number that a shell evaluates', "test 'a[$(rm x)]' -eq 0"],
  ['a number that printf evaluates', "printf '%d' 'a[$(rm x)]'"],
  ['a number that exit evaluates', "exit 'a[$(rm x)]'"],
  ['a number that return evaluates', "return 'a[$(rm x)]'"],
  ['a number that shift evaluates', "shift 'a[$(rm x)]'"],
  ['a number that break evaluates', "break 'a[`rm x`]'"],
  ['tar with a program', "tar --use-compress-program='rm x' -cf a b"],
  ['tar with a program as a letter', "tar -cI 'rm x' -f a b"],
  ['tar with a program as a letter without a dash', "tar cIf 'rm x' a b"],
  ['tar with a script without a dash', "tar xFf 'rm x' a"],
  ['tar with a program on another machine', 'tar --rmt-command=x -cf a:b c'],
  ['GNU tar by its other name', "gtar cIf 'rm x' a b"],
  ['GNU find by its other name', 'gfind . -delete'],
  ['pnpm with another shell', 'pnpm test --config.script-shell=/tmp/x'],
  ['pnpm with another shell, in capitals', 'pnpm test --config.scriptShell=/tmp/x'],
  ['npm with other settings', 'npm test --userconfig=/tmp/x'],
  ['yarn with other settings', 'yarn test --use-yarnrc /tmp/x'],
  ['bun with code of others', 'bun test --preload /tmp/x'],
  ['bun with code of others as a letter', 'bun -r /tmp/x test'],
  ['man with other settings', 'man -C /tmp/x ls'],
  ['go with another linker', 'go build -ldflags=-extld=/tmp/x'],
  ['a container that starts', 'docker exec c rm x'],
  ['a container that is begun', 'docker run -v /:/host x rm /host'],
  ['a pod that starts', 'kubectl -n a exec p -- rm x'],
  ['uv run', 'uv run rm x'],
  ['poetry run', 'poetry run rm x'],
  ['bundle exec', 'bundle exec rm x'],
  ['direnv exec', 'direnv exec . rm x'],
  ['fd in one word', 'fd -xrm'],
  ['fd by its other name', 'fdfind --exec=rm'],
  ['git with another folder', 'git --git-dir=/tmp/x log'],
  ['sort into a file in one word', 'sort -ox a'],
]
test.each(starred)('no star covers %s', (_, line) => {
  expect(judge({ allow }, line).kind).toBe('ask')
})

test.each([
  "printf '%s %s' a b",
  'test -f x',
  'tar xzf a.tgz',
  'tar czf a.tgz src',
  'pnpm test --watch',
  'go test -race ./...',
  'docker ps -a',
])('a star covers what is ordinary: %j', (line) => {
  expect(judge({ allow }, line)).toEqual({ kind: 'allow' })
})

test.each(
  (
    'strace setarch linux32 taskset chrt prlimit setpriv numactl valgrind gdb perf bwrap firejail systemd-run pkexec gosu tmux screen at batch crontab ' +
    'compgen complete jobs mapfile fc let getopts wait integer pwsh gxargs genv SUDO /lib64/ld-linux-x86-64.so.2'
  ).split(' '),
)('no pattern with a star is taken for %s', (name) => {
  expect(() => checkRules({ allow: [`${name} *`] })).toThrow('only word for word')
  expect(judge({ allow: ['*'] }, `${name} x`).kind).toBe('ask')
})

const denied = [
  'strace rm x',
  'chrt 1 rm x',
  'setarch x86_64 rm x',
  'taskset 1 rm x',
  'systemd-run --user rm x',
  'docker exec c rm x',
  'npm exec -- rm x',
  'git bisect run rm x',
  'gtimeout 4 rm x',
  'gxargs rm',
  'SUDO rm x',
  '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
  "sh -c 'r\\m'",
  `sh -c "r''m"`,
  `sudo sh -c 'r"m"'`,
  'find . -execdir rm {} +',
  'find . -exec env A=1 rm {} +',
  'gfind . -exec rm {} ;',
  'fd -xrm',
  'fd --exec=rm',
  'fdfind -X rm',
  "test -v 'a[$(rm x)]'",
  "[ -v 'a[$(rm x)]' ]",
  "printf -v 'a[$(rm x)]' y",
  "let 'a[`rm x`]'",
  "unset 'a[$(rm x)]'",
  "read 'a[$(rm x)]' <<< 1",
  "declare 'a[$(rm x)]=1'",
  "compgen -C 'rm x'",
  'jobs -x rm x',
  "mapfile -C 'rm x #' -c 1 a <<< y",
]
test.each(denied)('a denial sees %j', (line) => {
  expect(judge({ allow: ['*'], deny: ['rm *'] }, line)).toEqual({ kind: 'deny', pattern: 'rm *' })
})

const doubtful = [
  'echo rm x | sh +x',
  'echo rm x | sh -',
  'echo rm x | bash -o posix',
  'echo rm x | bash --rcfile /dev/null',
  'sh /dev/stdin <<< "rm x"',
  'bash /dev/fd/3 3<<< "rm x"',
  'echo rm x | bash -xs a',
  "printf 'rm x' | xargs -0 sh -c",
  'echo rm x | xargs env',
  'echo rm x | xargs -n1 sudo',
  'echo rm x | parallel',
  'echo rm x | parallel -j 2',
  'echo rm | xargs -I X X y',
  'echo rm | xargs -IX X y',
  'echo rm | xargs -i {} y',
  'echo rm | xargs --replace {} y',
  'echo rm x | sudo -s',
  'echo rm x | sudo -i',
  'echo rm x | su',
  'echo rm x | ssh host',
  'echo rm x | chroot /mnt',
  'echo rm x | unshare -r',
  'echo rm x | at now',
  'echo rm x | crontab -',
  'hash -p /bin/rm ls; ls x',
  'enable -f ./x y',
  "[[ -v 'a[$(rm x)]' ]]",
  "[[ 'a[$(rm x)]' -eq 0 ]]",
  "X='a[$(rm x)]'; echo $((X))",
  `X='$(rm y)'; echo "$${'{X@P}'}"`,
  "PS4='$(rm x)'; set -x; ls",
  // What bash takes for one thing, dash takes for commands.
  '[[ a || rm x ]]',
  '[[ a && ( rm x ) ]]',
  '((rm x))',
  '(((rm x)))',
  'echo $[1; rm x; ]',
  'ls &>/dev/null rm x',
  "echo $'\\'; rm x; #'",
]
test.each(doubtful)('what a denial can not see through is in doubt: %j', (line) => {
  const verdict = judge({ allow: ['*'], deny: ['rm *'] }, line)
  expect(verdict.kind === 'deny' || (verdict.kind === 'ask' && verdict.doubt)).toBe(true)
})

test.each([
  'sh build.sh x',
  'bash -x build.sh',
  'bash -c "ls"',
  'sudo ls',
  'ssh host uptime',
  'xargs wc -l',
  'X=1 ls',
  "X='a b' ls",
  '[[ -f x ]] && ls',
  "printf '%s' x",
  'test -f x',
  'docker ps',
])('what shows all that it runs is no doubt: %j', (line) => {
  expect(judge({ deny: ['rm *'] }, line)).toMatchObject({ kind: 'ask', doubt: false })
})
