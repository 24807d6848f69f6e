/** Sentences without their line breaks, which a longer process id moves; rows of a table have wide gaps. */
function unbroken(out: string): string {
  const isProse = (line: string) => /^ {3}\S/.test(line) && !/\S {2,}\S/.test(line)
  const begins = /^ {3}(\d+\. |[-–✓✗>] |Process|SIGKILL|It leaves|The |Both |A step|[\d,]+ ms later)/
  const lines: string[] = []
  for (const line of out.split('\n')) {
    if (isProse(line) && !begins.test(line) && isProse(lines.at(-1) ?? '')) lines.push(`${lines.pop()} ${line.trim()}`)
    else lines.push(line)
  }
  return lines.join('\n')
}

/** What the demo prints with what differs from demo to demo replaced. */
export function masked(out: string, home: string): string {
  return unbroken(out)
    .replaceAll(home, 'HOME')
    .replace(/demo-\d{4}-\d\d-\d\d-\d{6}(-\d+)?/g, 'demo-DATE-TIME')
    .replace(/Process \d+/g, 'Process PID')
    .replace(/SIGKILL [\d.]+ ms/, 'SIGKILL TIME')
    .replace(/(It leaves) .* in the journal and \S+( charge)?/, '$1 SOMETHING in the journal and SOMETHING')
    .replace(/(Process PID goes on\.) .*/, '$1 HOW.')
    .replace(/^ +[\d,]+ {2}(control|call|run)/gm, '   TIME  $1')
    .replace(/^( {3}(?:Rondo|loop by hand)) .*×$/gm, '$1 FIGURES')
    .replace(/[\d,]+ ms later/, 'TIME later')
    .replace(/after [\d,]+ ms/, 'after TIME')
    .replace(/ +\d+ ms$/gm, ' TIME')
    .replace(/[\d.]+ × (the first|by hand)/g, 'N × $1')
    .replace(/in [\d.]+ m?s\.$/gm, 'in TIME.')
    .replace(/(^ {3}✓ \w+_\w+ .*\n)+/gm, (calls) => `${calls.trimEnd().split('\n').sort().join('\n')}\n`)
}
