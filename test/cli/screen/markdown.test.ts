import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markdownLines } from '../../../src/cli/screen/markdown.ts'
import { MarkdownStream } from '../../../src/cli/screen/markdown-stream.ts'
import { columnsOf } from '../../../src/cli/text.ts'

const plainScreen = { color: false }

const page = `# Tides

Some **bold** and \`code\` with a [name](https://example.com/x) and *more* that goes on past the end of the line.

- one
- two
  - nested

1. first

   more of it

2. second

\`\`\`sh
echo hi

echo ho
\`\`\`

| place | metres |
|-------|-------:|
| here  | 4.1 |

> said
> so

- [x] done
- [ ] open

---

The end.`

const shown = `Tides

Some bold and code with a name (https://example.com/x) and
more that goes on past the end of the line.

• one
• two
  • nested

1. first

   more of it

2. second

  echo hi

  echo ho

place  metres
─────  ──────
here      4.1

│ said
│ so

☑ done
☐ open

────────────────────────────────────────

The end.`

test('Markdown as a person reads it', () => {
  expect(markdownLines(page, 60, plainScreen).join('\n')).toBe(shown)
})

describe('in pieces', () => {
  function streamed(text: string, cut: (text: string) => readonly string[]): string {
    const stream = new MarkdownStream(() => 60, plainScreen)
    const lines = cut(text).flatMap((piece) => {
      const made = stream.add(piece)
      stream.preview()
      return made
    })
    return [...lines, ...stream.end()].join('\n')
  }

  test('however it comes it is the same page', () => {
    for (const size of [1, 2, 7, 50, 10_000])
      expect(streamed(page, (text) => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])).toBe(shown)
  })

  test('a block is handed out when the next one begins, a line of code at once', () => {
    const stream = new MarkdownStream(() => 60, plainScreen)
    expect(stream.add('One\n\n')).toEqual([])
    expect(stream.preview()).toEqual(['One'])
    expect(stream.add('Two\n```\n')).toEqual(['One', '', 'Two', ''])
    expect(stream.add('a = 1\n')).toEqual(['  a = 1'])
    expect(stream.add('b')).toEqual([])
    expect(stream.preview()).toEqual(['  b'])
    expect(stream.end()).toEqual(['  b'])
  })

  test('a line ending in two pieces is one', () => {
    const stream = new MarkdownStream(() => 60, plainScreen)
    expect([...stream.add('a  \r'), ...stream.add('\nb'), ...stream.end()]).toEqual(['a', 'b'])
  })
})

test('no line but code is wider than the screen, whatever it holds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('word', '日本語', '👨‍👩‍👧', '**', '`', '- ', '\n', '\n\n', '> ', '|', 'x'.repeat(90), ' ')),
      (pieces) => {
        const text = pieces.join('')
        for (const line of markdownLines(text, 40, plainScreen)) if (!line.startsWith('  ')) expect(columnsOf(line)).toBeLessThanOrEqual(40)
      },
    ),
  )
})

test('nothing in it talks to the terminal', () => {
  const hostile = 'a\u001b[31mb `\u001b]52;c;AAAA\u0007` [x](http://a/\u009b2J) \u202e\n\n```\n\u001b[?1049h\n```'
  const lines = markdownLines(hostile, 80, { color: true }).join('\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(lines.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  expect(lines).toContain('\\x1b]52;c;AAAA\\x07')
})

test('where a link leads is always seen', () => {
  expect(markdownLines('[https://bank.example](https://evil.example)', 80, plainScreen)).toEqual([
    'https://bank.example (https://evil.example)',
  ])
})

test('three backticks around a word in a line open no code', () => {
  const stream = new MarkdownStream(() => 60, plainScreen)
  expect([...stream.add('```now```\n\nand *then*\n'), ...stream.end()]).toEqual(['now', '', 'and then'])
})

test('each piece of a long answer costs the same, also in one list, one table or one line', () => {
  for (const [head, row] of [
    ['', '- an item of a list\n'],
    ['| a |\n|---|\n', '| b |\n'],
    ['', 'a word '],
    ['```\n', 'code\n'],
  ] as const) {
    const stream = new MarkdownStream(() => 60, plainScreen)
    stream.add(head)
    for (let rows = 0; rows < 2_000; rows++) {
      stream.add(row)
      if (rows % 5 === 0) stream.preview()
    }
    expect(stream.preview().length).toBeLessThanOrEqual(200)
    expect(stream.end().length).toBeGreaterThanOrEqual(0)
  }
})

test('a table of as many rows as fit into an answer', () => {
  expect(markdownLines(`| a |\n|---|\n${'| b |\n'.repeat(130_000)}`, 60, plainScreen)).toHaveLength(130_002)
})
