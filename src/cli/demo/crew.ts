import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Terminal } from '../terminal.ts'
import { oneLine } from '../text.ts'

/** A process that plays a part: this same command, called with the hidden sub-command `demo-part`. */
export interface Player {
  readonly pid: number
  /** Ends it by SIGKILL: no handler of it runs. */
  kill(): void
  /** Resolves when it is gone, with its exit code; `undefined` when it was killed. */
  readonly gone: Promise<number | undefined>
}

const maxErrorChars = 2_000
/** A part that takes longer (ms) is ended: it has come to a standstill. */
const maxPartMs = 45_000

/** The processes that an act starts. None outlives the demo. */
export class Crew {
  readonly #terminal: Terminal
  readonly #children = new Set<ChildProcess>()

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** `onLine` is called for each line that the process writes, as soon as it comes. */
  start(part: readonly string[], onLine: (line: string, player: Player) => void): Player {
    const { program, env, cwd } = this.#terminal
    const child = spawn(process.execPath, [program, 'demo-part', ...part], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#children.add(child)
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = `${complaint}${text}`.slice(0, maxErrorChars)
    })
    // It may be gone before it is written to.
    child.stdin.on('error', () => {})
    let isLate = false
    const letBe = this.#terminal.after(maxPartMs, () => {
      isLate = true
      child.kill('SIGKILL')
    })
    const gone = new Promise<number | undefined>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => {
        letBe()
        this.#children.delete(child)
        if (isLate) return reject(new Error(`process ${child.pid} (${part[0]}) was not done after ${maxPartMs / 1_000} s, and was ended`))
        if (code === null || code === 0) resolve(code ?? undefined)
        else reject(new Error(`process ${child.pid} (${part[0]}) ended with exit code ${code}: ${oneLine(complaint)}`))
      })
    })
    const player: Player = { pid: child.pid ?? 0, kill: () => child.kill('SIGKILL'), gone }
    createInterface({ input: child.stdout }).on('line', (line) => onLine(line, player))
    return player
  }

  /** Plays a part to its end; resolves with the lines that it wrote. */
  async run(...part: readonly string[]): Promise<{ readonly pid: number; readonly lines: readonly string[] }> {
    const lines: string[] = []
    const { pid, gone } = this.start(part, (line) => lines.push(line))
    if ((await gone) === undefined) throw new Error(`process ${pid} (${part[0]}) was killed by somebody else`)
    return { pid, lines }
  }

  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL')
  }
}
