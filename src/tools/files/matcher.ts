import { createContext, Script } from 'node:vm'
import { errorCode, problem } from './problem.ts'

const longestPattern = 500
/** How long a regular expression may work on one batch of lines before the search gives up, in ms. */
const batchMs = 250

/** Finds the first match in each of some lines: `-1` for none. */
export type Matcher = (lines: readonly string[]) => readonly number[]

/** Makes the test for lines. Throws, worded for the model, for a pattern that can't work. */
export function lineMatcher(pattern: string, how: 'text' | 'regex', letters: 'exact' | 'any-case'): Matcher {
  if (pattern.length > longestPattern)
    throw problem(`The pattern has ${pattern.length} characters; the limit is ${longestPattern}. Use a shorter one.`)
  if (/[\r\n]/.test(pattern)) throw problem('The pattern holds a line break, but lines are searched one by one. Search for one line of it.')
  if (how === 'text' && letters === 'exact') return (lines) => lines.map((line) => line.indexOf(pattern))
  const flags = letters === 'any-case' ? 'i' : ''
  if (how === 'text') {
    const literal = new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), `${flags}u`)
    return (lines) => lines.map((line) => line.search(literal))
  }
  const expression = compile(pattern, flags)
  return (lines) => interruptible(() => lines.map((line) => line.search(expression)))
}

/** With the flag `u` where the pattern allows it, so that `.` is a whole character; many patterns only work without. */
function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, `${flags}u`)
  } catch {
    try {
      return new RegExp(pattern, flags)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw problem(`${why}. Correct it, or leave regex out to search for the text as it is.`, error)
    }
  }
}

const script = new Script('task()')
const nothing = (): void => {}
const sandbox: { task: () => void } = { task: nothing }

/**
 * Runs a task that may never end by itself, as `(a+)+$` does not on some lines. Nothing else can stop a regular expression in this
 * thread: the time limit of `node:vm` holds for what a script calls, and is used for that only.
 */
function interruptible(task: () => readonly number[]): readonly number[] {
  let result: readonly number[] = []
  const run = (): void => {
    result = task()
  }
  sandbox.task = run
  try {
    script.runInContext(context(), { timeout: batchMs })
    return result
  } catch (error) {
    if (errorCode(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw problem('The pattern takes too long on some line, probably by nested repetition such as (a+)+. Use a simpler one.', error)
  } finally {
    sandbox.task = nothing
  }
}

let made: ReturnType<typeof createContext> | undefined

function context() {
  made ??= createContext(sandbox)
  return made
}
