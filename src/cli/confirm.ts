import type { Key } from './screen/keys.ts'
import type { Terminal } from './terminal.ts'
import { columnsOf, styled } from './text.ts'

/** What somebody said: `interrupted` by Ctrl-C, a signal or a closed window. */
export type Confirmation = 'yes' | 'no' | 'interrupted'

/** Of an answer as it is typed: more is none. */
const maxColumns = 20

/**
 * Asks on standard error whether something is to be done; `undefined` where nobody can be asked. Only `y` or `yes` with Enter is a yes: one key could be
 * one that was typed before, and what is pasted was not written for this question.
 */
export async function confirm(question: string, terminal: Terminal): Promise<Confirmation | undefined> {
  const { keyboard, stderr } = terminal
  if (keyboard === undefined) return undefined
  return new Promise((resolve) => {
    let typed = ''
    const ask = () => stderr.write(`${styled(question, 'yellow', stderr)} [y/N] ${typed}`)
    const say = (said: Confirmation) => {
      release()
      stop()
      stderr.write('\n')
      resolve(said)
    }
    const onKey = (key: Key) => {
      if (key.kind === 'paste') return
      if (key.kind === 'text') {
        if (columnsOf(typed + key.text) > maxColumns) return
        typed += key.text
        return stderr.write(key.text)
      }
      switch (key.name) {
        case 'enter':
        case 'ctrl-j':
          return say(/^\s*y(es)?\s*$/i.test(typed) ? 'yes' : 'no')
        case 'escape':
        case 'ctrl-d':
          return say('no')
        case 'ctrl-c':
          return say('interrupted')
        case 'backspace': {
          const before = columnsOf(typed)
          typed = [...typed].slice(0, -1).join('')
          return stderr.write('\b \b'.repeat(before - columnsOf(typed)))
        }
        case 'resumed':
          return ask()
      }
    }
    const stop = terminal.onInterruption(() => say('interrupted'))
    const release = keyboard.listen(onKey)
    ask()
  })
}
