import { expect, test } from 'vitest'
import { plainLine } from '../../../src/tools/shell/plain.ts'
import { checkRules, judge, type ShellRules } from '../../../src/tools/shell/rules.ts'

const rules: ShellRules = {
  allow: [
    'npm test*',
    'git status',
    'git log *',
    'git diff *',
    'ls *',
    'cat *',
    'tail *',
    'echo *',
    'find *',
    'sort *',
    'pwd',
    'cd src',
    '/opt/tool *',
  ],
}
const kind = (line: string, of: ShellRules = rules) => judge(of, line).kind

const plain = [
  'npm test',
  'npm test -- --watch=false',
  'git status',
  'ls',
  'ls -la src/core',
  '  ls\tsrc  ',
  'ls \'a b\' "c d"',
  'git log --format="%h %s" -5',
  "echo '$(rm x) `rm x` $HOME * ~ # \\'",
  'ls | tail -3',
  'ls && git status || pwd; cat package.json',
  'ls\ncat a\n\n',
  'ls &&\n pwd',
  'npm test 2>&1 | tail -20',
  'ls >/dev/null 2>&1',
  'ls 2> /dev/null; cat < /dev/null',
  'cd src && ls',
  "echo 'two\nlines'",
  'find . -name x.ts -type f',
  '/opt/tool --a=b:c,d@e%f+g',
  "echo 'héllo\u00a0wörld'",
]
test.each(plain)('what is plain and allowed runs unasked: %j', (line) => {
  expect(judge(rules, line)).toEqual({ kind: 'allow' })
})

const waysOut: readonly [string, string][] = [
  ['another command', 'rm -rf x'],
  ['a list', 'ls; rm -rf x'],
  ['and', 'ls && rm x'],
  ['or', 'ls || rm x'],
  ['a pipe', 'ls | sh'],
  ['a pipe with errors', 'ls |& rm x'],
  ['a newline', 'ls\nrm x'],
  ['a carriage return', 'ls\rrm x'],
  ['a form feed', 'ls\frm x'],
  ['the background', 'ls & rm x'],
  ['the background at the end', 'ls &'],
  ['a substitution', 'ls $(rm x)'],
  ['a substitution in quotes', 'ls "$(rm x)"'],
  ['backticks', 'ls `rm x`'],
  ['backticks in quotes', 'ls "`rm x`"'],
  ['a process substitution', 'cat <(rm x)'],
  ['a process substitution to write', 'ls >(rm x)'],
  ['a subshell', '(ls; rm x)'],
  ['a subshell that touches', 'ls(rm x)'],
  ['a group', '{ ls; rm x; }'],
  ['a variable', 'ls $X'],
  ['a variable in quotes', 'ls "$X"'],
  ['a variable as command', '$X ls'],
  ['$IFS', `ls$${'{IFS}'}x`],
  ['an expansion with a default', `ls $${'{X:-$(rm x)}'}`],
  ['arithmetic', 'ls $((1+$(rm x)))'],
  ['old arithmetic', 'ls $[x]'],
  ['ANSI quotes', "ls $'\\x3b rm x'"],
  ['locale quotes', 'ls $"x"'],
  ['a glob', 'ls *'],
  ['a glob of one', 'cat ?.txt'],
  ['a glob of a set', 'cat [ab].txt'],
  ['a glob as command', '/opt/too? x'],
  ['a tilde', 'ls ~'],
  ['a tilde of somebody', 'ls ~root/x'],
  ['braces', 'ls {a,b}'],
  ['braces as command', '{rm,x}'],
  ['an assignment before it', 'PATH=. ls'],
  ['an assignment alone', 'PATH=.'],
  ['an assignment on the line before', 'PATH=.\nls'],
  ['an array', 'x=(ls)'],
  ['a redirection to a file', 'ls > x'],
  ['a redirection that touches', 'ls>x'],
  ['a redirection that appends', 'echo x >> ~/.profile'],
  ['a redirection to all', 'ls &> x'],
  ['a redirection from a file', 'cat < x'],
  ['a redirection to and fro', 'cat <> x'],
  ['a longer /dev/null', 'ls > /dev/null2'],
  ['a path below /dev/null', 'ls > /dev/null/../x'],
  ['another descriptor', 'ls 2>&12'],
  ['a file named 1x', 'ls 2>&1x'],
  ['a here-document', 'cat <<E\n$(rm x)\nE'],
  ['a quoted here-document', "cat <<'E'\nrm x\nE"],
  ['a here-string', 'cat <<< x'],
  ['a comment', 'ls # x'],
  ['a comment that hides a quote', "ls # '\nrm x #'"],
  ['an escape', 'ls \\; rm x'],
  ['an escaped name', '\\ls'],
  ['an escaped end of line', 'ls \\\nrm x'],
  ['an escape in quotes', 'ls "\\""; rm x'],
  ['an open quote', "ls 'x"],
  ['an open double quote', 'ls "x'],
  ['quotes that end early', "ls 'a'b'; rm x"],
  ['a quoted name', '"ls" x'],
  ['a name with a blank in it', "'git status'"],
  ['arguments that are one', "git 'status x'"],
  ['a name of two with quotes', "'npm test'"],
  ['quotes inside of a name', "n'p'm test"],
  ['an alias', "alias ls='rm x'\nls"],
  ['a function', 'ls() { rm x; }; ls'],
  ['a function by its word', 'function ls { rm x; }; ls'],
  ['if', 'if ls; then rm x; fi'],
  ['for', 'for x in a; do ls; done'],
  ['while', 'while ls; do rm x; done'],
  ['case', 'case a in a) rm x;; esac'],
  ['a negation', '! ls'],
  ['time', 'time ls'],
  ['a coprocess', 'coproc ls'],
  ['a test', '[[ -f $(rm x) ]]'],
  ['arithmetic as command', '((x=1))'],
  ['eval', 'eval ls'],
  ['env', 'env ls'],
  ['xargs', 'ls | xargs rm'],
  ['sh -c', "sh -c 'ls'"],
  ['find -exec', 'find . -exec rm x ;'],
  ['find -exec in quotes', "find . -exec rm x ';'"],
  ['find -delete', 'find . -delete'],
  ['git -c', "git -c alias.log='!rm x' log --oneline"],
  ['git --output', 'git diff --output=x'],
  ['git --output, cut short', 'git diff --outp=x'],
  ['git and a pager', 'git log -p --ext-dif'],
  ['sort into a file', 'sort a -o b'],
  ['sort with a program', 'sort --compress-prog=rm a'],
  ['an unbreakable blank', 'ls\u00a0x'],
  ['a wide blank', 'ls\u3000x'],
  ['a line separator', 'ls\u2028rm x'],
  ['a letter that is no ASCII', 'lѕ x'],
  ['a NUL', 'ls\0rm x'],
  ['an escape sequence', "ls '\u001b[2J'"],
  ['an extended glob', 'ls !(x)'],
  ['a history', 'ls !!'],
  ['an old pipe', 'ls ^ rm x'],
  ['a job', '%1'],
  ['the end of a case', 'ls ;; rm x'],
  ['nothing between', 'ls && && rm x'],
  ['nothing after', 'ls &&'],
  ['nothing', ''],
  ['nothing but blanks', ' \n '],
  ['too much', `ls ${'x'.repeat(10_000)}`],
  ['a longer name', 'lsx y'],
  ['the same name elsewhere', './ls x'],
  ['a name in a folder', '/tmp/npm test'],
  ['arguments where there is no star', 'git status x'],
]
test.each(waysOut)('no rule allows %s', (_, line) => {
  expect(kind(line)).toBe('ask')
})

test('what starts others runs unasked only if a rule has it word for word', () => {
  const exact: ShellRules = { allow: ['xargs wc -l', 'sh build.sh'] }
  expect(kind('xargs wc -l', exact)).toBe('allow')
  expect(kind('sh build.sh', exact)).toBe('allow')
  expect(kind('sh build.sh x', exact)).toBe('ask')
  expect(() => checkRules({ allow: ['sudo *'] })).toThrow("'sudo' starts other commands")
  expect(kind('sudo rm x', { allow: ['*'] })).toBe('ask')
  expect(kind('cd / && rm x', { allow: ['*'] })).toBe('ask')
  expect(kind('rm x', { allow: ['*'] })).toBe('allow')
})

const denied = [
  'rm x',
  'rm',
  '/bin/rm x',
  'RM x',
  '\\rm x',
  'r"m" x',
  'r\\\nm x',
  "$'rm' x",
  'ls; rm x',
  'ls $(rm x)',
  'ls "`rm x`"',
  'cat <(rm x)',
  '(rm x)',
  '{ rm x; }',
  'if true; then rm x; fi',
  'for i in 1; do rm $i; done',
  'f() { rm x; }; f',
  'case a in a) rm x;; esac',
  'X=$(rm x)',
  'X=1 rm x',
  'cat <<E\n$(rm x)\nE',
  'echo $((1 + $(rm x)))',
  `$${'{X:-$(rm x)}'}`,
  '> y rm x',
  'ls & rm x',
  'time rm x',
  '! rm x',
  'sudo rm x',
  'sudo -u root nice -n 5 rm x',
  'env A=1 rm x',
  'ls | xargs rm',
  'find . -exec rm {} ;',
  'find . -exec sh -c "rm x" \\;',
  "sh -c 'rm x'",
  "sudo bash -lc 'ls; rm x'",
  "eval 'rm x'",
  'eval r""m x',
  'sh -c "sh -c \'rm x\'"',
  "trap 'rm x' EXIT",
  'command rm x',
  'exec rm x',
  'git status\nrm x',
]
test.each(denied)('a denial sees %j', (line) => {
  expect(judge({ allow: ['*'], deny: ['rm *'] }, line)).toEqual({ kind: 'deny', pattern: 'rm *' })
})

const doubtful = [
  '$X',
  '$X y',
  'r$X',
  'r? x',
  '/bin/r*',
  '{rm,x}',
  'eval "$X"',
  'sh',
  'ls | sh',
  'sh <<E\nrm x\nE',
  'xargs $X',
  'sh -c "$X"',
  '. ./x',
  "ls 'x",
]
test.each(doubtful)('what a denial can not see through is asked about, and is in doubt: %j', (line) => {
  expect(judge({ allow: ['*'], deny: ['rm *'] }, line)).toMatchObject({ kind: 'ask', doubt: true })
})

test.each(['ls $X', 'ls *.ts', 'for f in *; do cat "$f"; done', 'echo $(date)', 'cd "$X" && ls'])(
  'what can not become what is denied is no doubt: %j',
  (line) => {
    expect(judge({ deny: ['rm *'] }, line)).toMatchObject({ kind: 'ask', doubt: false })
  },
)

test.each(['rm $X', 'rm -r$X', 'rm $X -rf /', '$X -rf /', 'rm $X$Y -rf /', 'rm "$X" "$Y"'])(
  'a variable may become the arguments that are denied: %j',
  (line) => {
    const verdict = judge({ deny: ['rm -rf *'] }, line)
    expect(verdict.kind === 'deny' || (verdict.kind === 'ask' && verdict.doubt)).toBe(true)
  },
)

test('a denial wins over a permission', () => {
  expect(kind('git push --force', { allow: ['git push *'], deny: ['git push --force*'] })).toBe('deny')
  expect(kind('git push', { allow: ['git push *'], deny: ['git push --force*'] })).toBe('allow')
})

test.each([
  ['npm test', 'npm test'],
  ['npm test -- --bail', 'npm test'],
  ['npm run build --silent', 'npm run build'],
  ['git diff src', 'git diff'],
  ['git push --force', 'git push --force'],
  ['curl -s http://x', 'curl -s http://x'],
  ["printf 'a b'", "printf 'a b'"],
  ['curl', 'curl'],
  ['git -c a=b status', false],
  ['npm exec x', false],
  ['sudo ls', false],
  ['npm test && npm run build', false],
  ['npm test | tail', false],
  ['npm test $X', false],
  ['npm test > x', false],
  ['X=1 npm test', false],
  ['npm test # x', false],
])('a remembered yes to %j covers %j', (line, rememberAs) => {
  expect(judge({}, line)).toMatchObject({ kind: 'ask', rememberAs })
})

test('what is allowed word for word, but may become what is denied, is asked about', () => {
  expect(judge({ allow: ['ls', 'xargs rm'], deny: ['rm -rf *'] }, 'ls | xargs rm')).toEqual({
    kind: 'ask',
    reason: 'a rule may deny what it turns into when it runs',
    rememberAs: false,
    doubt: true,
  })
})

test('rules that can not work are refused', () => {
  for (const rules of [{ allow: [''] }, { allow: 'ls' }, { allow: [1] }, { ask: ['ls'] }, { deny: ['x'.repeat(201)] }])
    expect(() => checkRules(rules as ShellRules)).toThrow(/rules:/)
})

test('a plain line is its words', () => {
  expect(plainLine(`a 'b c'd"e" | f ; g\n`)).toEqual({ commands: [['a', 'b cde'], ['f'], ['g']] })
})

test('long lines and patterns with many stars take little time', () => {
  const line = `sudo ${'a '.repeat(49)}${'$X'.repeat(4_000)}`
  const begun = performance.now()
  judge({ deny: [`${'a*'.repeat(99)}b`, `${'*a'.repeat(99)}`] }, line)
  expect(performance.now() - begun).toBeLessThan(3_000)
})
