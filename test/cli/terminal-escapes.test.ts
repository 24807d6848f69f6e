import { expect, test } from 'vitest'
import { jsonLine, oneLine, plain, shellWord, spelledOut } from '../../src/cli/text.ts'

/** What a terminal obeys, or is deceived by, when text of others is sent to it as it is (ECMA-48, xterm's ctlseqs, https://trojansource.codes). */
const sequences: readonly [string, string][] = [
  ['clear the screen', '\u001b[2J'],
  ['clear what was scrolled away', '\u001b[3J'],
  ['move the cursor up', '\u001b[1A'],
  ['move the cursor home', '\u001b[H'],
  ['erase the line', '\u001b[2K\u001b[G'],
  ['hide what follows', '\u001b[8m'],
  ['colour what follows', '\u001b[31;1m'],
  ['repeat a character', 'x\u001b[99999b'],
  ['insert lines', '\u001b[999L'],
  ['scroll', '\u001b[999S'],
  ['a region that scrolls', '\u001b[2;3r'],
  ['the other screen', '\u001b[?1049h'],
  ['reports of the mouse', '\u001b[?1003h'],
  ['no cursor', '\u001b[?25l'],
  ['pasting without brackets', '\u001b[?2004l'],
  ['an answer of where the cursor is', '\u001b[6n'],
  ['an answer of what it is', '\u001b[0c'],
  ['an answer with its title', '\u001b[21t'],
  ['an answer with a setting', '\u001bP$q q\u001b\\'],
  ['an answer to ENQ', '\u0005'],
  ['the title of the window', '\u001b]0;owned\u0007'],
  ['the clipboard', '\u001b]52;c;cm0gLXJmIH4=\u0007'],
  ['a link', '\u001b]8;;https://evil.test\u001b\\click\u001b]8;;\u001b\\'],
  ['the folder', '\u001b]7;file://host/etc\u0007'],
  ['a file for download', '\u001b]1337;File=name=eA==:AAAA\u0007'],
  ['a palette', '\u001b]4;1;#000000\u0007'],
  ['a notice', '\u001b]9;hello\u0007'],
  ['a picture', '\u001bPq#0;2;0;0;0~-\u001b\\'],
  ['a picture of another kind', '\u001b_Ga=T,f=24;AAAA\u001b\\'],
  ['a private message', '\u001b^x\u001b\\'],
  ['a string', '\u001bXx\u001b\\'],
  ['what tmux passes through', '\u001bPtmux;\u001b\u001b]52;c;eA==\u0007\u001b\\'],
  ['a reset', '\u001bc'],
  ['a screen full of E', '\u001b#8'],
  ['another set of letters', '\u001b(0'],
  ['a shift to another set of letters', '\u000e'],
  ['a saved cursor', '\u001b7\u001b8'],
  ['the beginning of a sequence alone', '\u001b'],
  ['CSI in one byte', '\u009b2J'],
  ['OSC in one byte', '\u009d0;owned\u009c'],
  ['DCS in one byte', '\u0090$q q\u009c'],
  ['APC in one byte', '\u009fGa=T;AAAA\u009c'],
  ['a line up', '\u008d'],
  ['a new line', '\u0085'],
  ['a bell', '\u0007'],
  ['backspaces', 'rm -rf\b\b\b\b\b\bls'],
  ['an overwritten line', 'rm -rf x\rls      '],
  ['a vertical tab', '\u000b'],
  ['a form feed', '\u000c'],
  ['a NUL', '\u0000'],
  ['a DEL', '\u007f'],
  ['an end of transmission', '\u0004'],
  ['a stop', '\u0013'],
  ['from right to left', '\u202etxt.exe'],
  ['embedded from right to left', '\u202bx\u202c'],
  ['forced from left to right', '\u202dx'],
  ['isolated from right to left', '\u2067x\u2069'],
  ['isolated by its first letter', '\u2068x\u2069'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u

test.each(sequences)('%s: shown, and obeyed by no terminal', (_, sequence) => {
  const text = `before ${sequence} after`
  expect(text).toMatch(obeyed)
  for (const show of [plain, oneLine, spelledOut, jsonLine, shellWord]) {
    const shown = show(text)
    expect([show.name, shown.replace(/\n$/, '').match(obeyed)]).toEqual([show.name, null])
    expect(shown).toMatch(/before .*after/s)
  }
  expect(JSON.parse(jsonLine(text))).toBe(text)
})

test.each([
  ['tags', 'a\u{e0061}\u{e0062}b'],
  ['zero width', 'r\u200bm\u200d\u2060'],
  ['a filler', 'a\u3164b'],
  ['a soft hyphen', 'a\u00adb'],
  ['a mark in the middle', 'a\ufeffb'],
])('%s: what can not be seen is spelled out to whoever decides', (_, text) => {
  expect(spelledOut(text)).toMatch(/^[\x20-\x7e]+$/)
})
