const string = '(?:\\u0007|\\u001b\\\\|\\u009c)'
const controls = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]', // CSI
    `(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[\\s\\S]*?${string}`, // OSC, DCS, SOS, PM, APC
    '\\u001b[ -/]*[0-~]', // ESC
    '\\r+(?!\\r*\\n)', // writes over its line
    '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]', // a control character alone
  ].join('|'),
  'g',
)

/** The different control sequences in what a program wrote, newline, tab and the carriage return before a newline left out. */
export function sequencesIn(raw: string): string[] {
  return [...new Set(raw.match(controls) ?? [])].sort()
}

/** Only a weight or one of the sixteen colours that every theme of a terminal defines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for.
const standardStyle = /^\u001b\[(?:(?:[0-4]|2[2-4]|[349][0-7]|10[0-7]|[34]9)?(?:;(?!m)|(?=m)))+m$/

export function isStandardStyle(sequence: string): boolean {
  return standardStyle.test(sequence)
}

/** What the command itself draws its last lines with: back to their beginning, to the cursor, cursor and drawing on and off, pastes in brackets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for.
const liveScreen = /^(?:\r|\u001b\[(?:\d+[AC]|J|\?(?:25|2004|2026)[hl]))$/

export function isOfLiveScreen(sequence: string): boolean {
  return liveScreen.test(sequence)
}
