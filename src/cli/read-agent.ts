import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Agent, type Model, type Store, type Tools } from '../index.ts'
import { offline } from '../models/offline/index.ts'
import { readTools } from '../tools/index.ts'
import { type ChosenModel, chooseModel, type ModelFlags } from './choose-model.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { plain } from './text.ts'

/** The agent that the command drives: it reads one folder. */
export function readAgent(model: Model, folder: string, store: Store): Agent<Tools> {
  const tools: Tools = readTools({ root: folder })
  return new Agent({ name: agentName, model, tools, store })
}

export const agentName = 'rondo'

/** For looking at sessions: it never asks its model. */
export function lookingAgent(store: Store): Agent<Tools> {
  return new Agent<Tools>({ name: agentName, model: offline(), store })
}

/** The names of the tools that `readAgent` has, whatever it reads. */
export function toolNames(): ReadonlySet<string> {
  return new Set(readTools({ root: '/' }).map(({ name }) => name))
}

/** The model of the flags, or the one that a test gives in its place. */
export async function modelOf(flags: ModelFlags, terminal: Terminal, given: Model | undefined): Promise<ChosenModel> {
  return given === undefined ? chooseModel(flags, terminal) : { model: given, line: `Model: ${given.provider}:${given.id}` }
}

/** The folder of `--cwd`, as an absolute path; throws `CannotRun` for what can't be read. */
export function folderOf(cwd: string | undefined, terminal: Terminal): string {
  const folder = resolve(terminal.cwd, cwd ?? '.')
  const kind = kindOf(folder)
  if (kind === 'folder') return folder
  const name = plain(folder)
  if (kind === 'missing') throw new CannotRun(`There is no folder ${name} (--cwd).`)
  if (kind === 'other') throw new CannotRun(`${name} is a file (--cwd). Name the folder that the agent shall read.`)
  throw new CannotRun(`${name} can't be read: there is no permission (--cwd).`)
}

export function kindOf(path: string): 'folder' | 'other' | 'missing' | 'unreadable' {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return 'missing'
    if (!found.isDirectory()) return 'other'
    accessSync(path, constants.R_OK | constants.X_OK)
    return 'folder'
  } catch {
    return 'unreadable'
  }
}
