export interface OutlineItem {
  /** From 1. */
  readonly line: number
  readonly text: string
}

/** What a file is made of: the headings of a Markdown file, else the declarations at the margin of a source file. */
export function outlineOf(path: string, lines: readonly string[]): readonly OutlineItem[] {
  const isSource = /\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|sh)$/i.test(path)
  return isSource ? declarations(lines) : headings(lines)
}

function headings(lines: readonly string[]): readonly OutlineItem[] {
  const items: OutlineItem[] = []
  let fence: string | undefined
  lines.forEach((text, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    // A '#' inside a code block is a comment of that code. A block ends with a fence of the same kind, at least as long.
    if (mark !== undefined && fence === undefined) fence = mark
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence) && text.trim() === mark) fence = undefined
    else if (fence === undefined && /^ {0,3}#{1,6}\s+\S/.test(text)) items.push({ line: index + 1, text: text.trim() })
    else if (fence === undefined && /^=+\s*$/.test(lines[index + 1] ?? '') && /^\S/.test(text))
      items.push({ line: index + 1, text: `# ${text.trim()}` })
  })
  return items
}

const declaration =
  /^(?:export\s+|default\s+|declare\s+|public\s+|private\s+|static\s+|final\s+|abstract\s+|async\s+|pub(?:\([a-z]+\))?\s+|unsafe\s+)*(?:function\*?|class|interface|type|enum|namespace|const|let|var|def|fn|func|struct|trait|impl|mod|module|protocol|object|record)\s+[A-Za-z_$(<][^={;]*/

function declarations(lines: readonly string[]): readonly OutlineItem[] {
  return lines.flatMap((text, index) => {
    const found = declaration.exec(text)?.[0]
    return found === undefined ? [] : [{ line: index + 1, text: found.trim().replace(/:$/, '') }]
  })
}
