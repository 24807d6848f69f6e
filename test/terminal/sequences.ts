const string = '(?:\\u0007|\\u001b\\\\|\\u009c)'
const controls = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]', // CSI
    `(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[\\s\\S]*?${string}`, // OSC, DCS, SOS, PM, APC
    '\\u001b[ -/]*[0-~]', // ESC
    '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]', // a control character alone
  ].join('|'),
  'g',
)

/** The different control sequences in what a program wrote, newline, tab and carriage return left out. */
export function sequencesIn(raw: string): string[] {
  return [...new Set(raw.match(controls) ?? [])].sort()
}

const standard = new Set(['', '0', '1', '2', '3', '4', '22', '23', '24', '39', '49', ...tens(3), ...tens(4), ...tens(9), ...tens(10)])

function tens(ten: number): string[] {
  return Array.from({ length: 8 }, (_, unit) => `${ten}${unit}`)
}

/** Whether it only sets a weight or one of the sixteen colours that every theme of a terminal defines. */
export function isStandardStyle(sequence: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for.
  const parameters = /^\u001b\[([\d;]*)m$/.exec(sequence)?.[1]
  return parameters !== undefined && parameters.split(';').every((parameter) => standard.has(parameter))
}
