import type { Emulator } from './emulator.ts'

/** What a screen shall show: a text or a pattern, also over the right edge and above the screen; a function sees the visible rows. */
export type Wanted = string | RegExp | ((screen: string) => boolean)

interface Screen extends Pick<Emulator, 'screen' | 'lines' | 'columns'> {
  /** How the program ended; `undefined`: it runs. */
  readonly ended: string | undefined
}

export interface Waiting {
  /** Looks again, as something has changed. */
  changed(): void
  /** As `waitFor` of a terminal. */
  waitFor(wanted: Wanted, withinMs: number): Promise<string>
}

export function waitingFor(screen: Screen): Waiting {
  const looks = new Set<() => void>()
  return {
    changed() {
      for (const look of [...looks]) look()
    },
    waitFor: (wanted, withinMs) =>
      new Promise((resolve, reject) => {
        const settle = (tell: () => void) => {
          clearTimeout(deadline)
          looks.delete(look)
          tell()
        }
        const fail = (why: string) => settle(() => reject(new Error(`${why} ${wordsOf(wanted)}.\n${framed(screen)}`)))
        const deadline = setTimeout(() => fail(`The screen did not show within ${withinMs} ms:`), withinMs)
        const look = () => {
          if (isShown(wanted, screen)) settle(() => resolve(screen.screen()))
          else if (screen.ended !== undefined) fail(`The program ended (${screen.ended}) without showing`)
        }
        looks.add(look)
        look()
      }),
  }
}

function isShown(wanted: Wanted, screen: Screen): boolean {
  if (typeof wanted === 'function') return wanted(screen.screen())
  const lines = screen.lines()
  return typeof wanted === 'string' ? lines.includes(wanted) : wanted.test(lines)
}

function wordsOf(wanted: Wanted): string {
  return typeof wanted === 'string' ? JSON.stringify(wanted) : typeof wanted === 'function' ? 'what is wanted' : String(wanted)
}

function framed(screen: Screen): string {
  const edge = `+${'-'.repeat(screen.columns)}+`
  const rows = screen.screen().replace(/^/gm, '|').replace(/\|$/, '')
  return `${edge}\n${rows}${edge}`
}
