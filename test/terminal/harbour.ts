import { newFolder } from '../cli/folders.ts'
import { says } from './model-server.ts'

/** A folder to ask about. */
export function harbour(): string {
  return newFolder({ 'README.md': '# Harbour lights\n\nHigh at noon.\n', 'tides.csv': 'hour,metres\n12,4.1\n' })
}

/** Looks at the folder, then answers. */
export const lookAndAnswer = [
  says('I look. ', { name: 'list_files', input: { depth: 1 } }),
  says('There are two files: ', 'tides.csv and README.md. ', 'The tide is high at noon, as the second of them says in so many words.'),
]
