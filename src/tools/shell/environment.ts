/** The variables of this process that a command gets too. No others: keys and tokens are in the rest. */
const passedOn = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP)$/

/** What a command finds in its environment; `added` goes over all. */
export function environment(added: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(process.env).filter((entry): entry is [string, string] => passedOn.test(entry[0]) && entry[1] !== undefined)
  return { ...Object.fromEntries(own), TERM: 'dumb', NO_COLOR: '1', ...added }
}
