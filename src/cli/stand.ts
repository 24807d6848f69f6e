import { ApprovalDesk, type DeskOptions } from './approval-desk.ts'
import type { Key } from './screen/keys.ts'
import { LiveScreen } from './screen/live.ts'
import type { Terminal } from './terminal.ts'

/** Screen and keyboard of a terminal, with the desk where calls are approved. */
export interface Stand {
  readonly screen: LiveScreen
  readonly desk: ApprovalDesk
  /** The terminal is as it was before. */
  close(): void
}

export interface StandOptions extends Omit<DeskOptions, 'by'> {
  onInterrupt(): void
  /** Keys that are not for the desk go here. */
  onKey?(key: Key): void
  /** The prompt must be made anew for another size; not while the desk asks. */
  onResize?(): void
}

/** `undefined` where there is no terminal that can be drawn on. */
export function openStand(terminal: Terminal, options: StandOptions): Stand | undefined {
  const { keyboard } = terminal
  if (keyboard === undefined) return undefined
  const screen = new LiveScreen(terminal.stdout)
  const desk = new ApprovalDesk(terminal, screen, { ...options, by: terminal.user })
  const offKeys = keyboard.listen((key) => {
    if (key.kind === 'key' && key.name === 'ctrl-c') return options.onInterrupt()
    if (key.kind === 'key' && key.name === 'resumed') return screen.redraw(true)
    if (!desk.key(key)) options.onKey?.(key)
  })
  const offResize = terminal.onResize?.(() => {
    screen.redraw()
    if (desk.isAsking) desk.show()
    else options.onResize?.()
  })
  return {
    screen,
    desk,
    close() {
      offKeys()
      offResize?.()
      screen.close()
    },
  }
}
