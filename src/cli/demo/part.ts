import { join } from 'node:path'
import type { Store } from '../../index.ts'
import { sqlite } from '../../stores/sqlite.ts'
import type { Terminal } from '../terminal.ts'
import { ask, decide, refuse } from './approval.ts'
import { pay, payOn } from './payment.ts'
import { takeSteps } from './steps.ts'

/** What a process of the demo does (the hidden sub-command `demo-part`); resolves with its exit code. */
export async function demoPart(part: string, about: string, terminal: Terminal): Promise<number> {
  // Whoever has started it keeps its standard input open: when that ends, nobody waits for it any more.
  terminal.stdin.read(1).then(
    () => terminal.exit(1),
    () => terminal.exit(1),
  )
  const line = (text: string) => terminal.stdout.write(`${text}\n`)
  switch (part) {
    case 'pay':
      await withStore(about, (store) => pay(about, store, line))
      // It is there to be killed, also after its work.
      return new Promise(() => {})
    case 'pay-on':
      return withStore(about, (store) => payOn(about, store))
    case 'ask':
      return withStore(about, (store) => ask(about, store))
    case 'decide':
      return withStore(about, (store) => decide(about, store))
    case 'refuse':
      return withStore(about, (store) => refuse(about, store))
    case 'steps':
      line(await takeSteps(about))
      return 0
    default:
      throw new Error(`the demo has no part ${part}`)
  }
}

async function withStore(folder: string, work: (store: Store) => Promise<void>): Promise<number> {
  const store = sqlite(join(folder, 'sessions.db'))
  try {
    await work(store)
  } finally {
    await store.close()
  }
  return 0
}
