/** Names that `tools` has for several tools at once. */
export const toolGroups: { readonly [group: string]: readonly string[] } = {
  read: ['list_files', 'find_files', 'read_file', 'search_text', 'file_info'],
  write: ['write_file', 'edit_file'],
  shell: ['shell'],
  fetch: ['fetch_url'],
}

/** `all` and `none` are no groups: the first has also tools that are in none. */
export const toolWords: readonly string[] = [...Object.keys(toolGroups), 'all', 'none']

/** Those of `asked`, by group where they are a whole one, that `granted` has too. */
export function narrowed(asked: readonly string[], granted: readonly string[]): readonly string[] {
  if (granted.includes('all')) return asked
  if (asked.includes('all')) return granted
  return asked.flatMap((name) => {
    const members = toolGroups[name]
    if (members === undefined || granted.includes(name)) return has(granted, name) ? [name] : []
    return members.filter((member) => granted.includes(member))
  })
}

function has(granted: readonly string[], name: string): boolean {
  return name === 'none' || granted.some((one) => one === name || toolGroups[one]?.includes(name) === true)
}
