import { type Ask, RondoError, type Tool, type Tools } from '../index.ts'
import {
  fetchTool,
  type PlannedChange,
  plannedChange,
  readTools,
  type Sandbox,
  type ShellRules,
  sandboxTools,
  shellTool,
  writeTools,
} from '../tools/index.ts'
import { toolGroups, toolWords } from './config/tool-groups.ts'
import { parsedUrl } from './parsed-url.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine } from './text.ts'

/** Which tools the agent of the command has, and what they may do unasked. */
export interface ToolFlags {
  /** Names of tools and groups. Default: all. */
  readonly tools?: readonly string[]
  /** Nothing is asked: every call runs that no `denyCommand` forbids. */
  readonly yes?: boolean
  /** Nothing outside memory is changed. */
  readonly sandbox?: boolean
  /** Commands of the shell that run unasked, as `rules.allow` of `shellTool`. */
  readonly allowCommand?: readonly string[]
  /** Commands that never run. */
  readonly denyCommand?: readonly string[]
  /** Hosts that are fetched from unasked: `example.com`, `*.example.com`. */
  readonly fetchHosts?: readonly string[]
}

const allTools: readonly string[] = Object.values(toolGroups).flat()

/** Every tool that the command can have. */
export function toolNames(): ReadonlySet<string> {
  return new Set(allTools)
}

/** The names that the flag says, in the order of the groups; throws `CannotRun` for one that there is not. */
export function chosenTools(words: readonly string[] = ['all']): readonly string[] {
  const names = new Set(words.flatMap(namesOf))
  return allTools.filter((name) => names.has(name))
}

function namesOf(word: string): readonly string[] {
  if (word === 'all') return allTools
  if (word === 'none') return []
  const group = Object.hasOwn(toolGroups, word) ? toolGroups[word] : undefined
  if (group !== undefined) return group
  if (allTools.includes(word)) return [word]
  throw new CannotRun(`There is no tool ${oneLine(word)}. There are ${toolWords.join(', ')}; or by name: ${allTools.join(', ')}.`)
}

/** What the agent works with. */
export interface Toolset {
  readonly tools: Tools
  /** Where the tools' changes stay in memory. */
  readonly sandbox?: Sandbox
  /** What a call would do to a file, for who must approve it; `undefined` where that can't be told. */
  planned(call: { readonly toolName: string; readonly input: unknown }): Promise<PlannedChange | undefined>
}

/**
 * The tools for one folder. Those that change something ask first, and `fetch_url` does, for a URL carries out what was read. In a sandbox only that is asked
 * about. `sandbox` is one that is there already.
 */
export function toolsFor(folder: string, flags: ToolFlags, { platform }: Pick<Terminal, 'platform'>, there?: Sandbox): Toolset {
  const names = new Set(chosenTools(flags.tools))
  const asks = flags.yes !== true
  const sandbox =
    flags.sandbox === true ? (there ?? valid(() => sandboxTools({ root: folder, shell: { rules: rulesOf(flags) } }))) : undefined
  const tools: Tools[number][] = sandbox === undefined ? onDisk(folder, names, flags, asks, platform) : [...sandbox.tools]
  if (names.has('fetch_url')) tools.push(fetcher(flags, asks))
  return {
    tools: tools.filter((tool) => 'name' in tool && names.has(tool.name)),
    ...(sandbox === undefined ? {} : { sandbox }),
    planned: (call) => (sandbox === undefined ? plannedChange({ root: folder }, call) : sandbox.plannedChange(call)),
  }
}

function onDisk(folder: string, names: ReadonlySet<string>, flags: ToolFlags, asks: boolean, platform: string): Tools[number][] {
  const tools: Tools[number][] = [...readTools({ root: folder })]
  if (toolGroups['write']?.some((name) => names.has(name))) tools.push(...writable(folder, asks))
  // There is no shell for it on Windows; who names it is told so.
  if (names.has('shell') && (platform !== 'win32' || flags.tools?.includes('shell') === true)) tools.push(shell(folder, flags, asks))
  return tools
}

function writable(folder: string, asks: boolean): Tools {
  return valid(() => writeTools({ root: folder, needsApproval: asks }))
}

function shell(folder: string, flags: ToolFlags, asks: boolean): Tool {
  return valid(() => shellTool({ cwd: folder, rules: rulesOf(flags), needsApproval: asks }))
}

function rulesOf({ allowCommand = [], denyCommand = [] }: ToolFlags): ShellRules {
  if ([...allowCommand, ...denyCommand].some((pattern) => pattern.trim() === ''))
    throw new CannotRun("--allow-command and --deny-command need a pattern, as 'npm test' or 'git log *': an empty one was given.")
  return { allow: allowCommand, deny: denyCommand }
}

function fetcher({ fetchHosts = [] }: ToolFlags, asks: boolean): Tool {
  const needsApproval = ({ url }: { readonly url: string }): boolean | Ask => {
    const host = hostOf(url)
    if (!asks || fetchHosts.some((pattern) => isHost(host, pattern))) return false
    return {
      reason: `It would ask ${host === '' ? 'a server' : host}, which then reads the whole URL.`,
      rememberAs: host === '' ? false : host,
    }
  }
  try {
    return fetchTool({ needsApproval })
  } catch (error) {
    // Without the part that makes pages readable, the model reads them as they are.
    if (RondoError.is(error) && error.code === 'ConfigInvalid') return fetchTool({ needsApproval, html: 'source' })
    throw error
  }
}

function hostOf(url: string): string {
  return parsedUrl(url)?.host ?? ''
}

/** `*.example.com` is every name below it, not the name itself. */
function isHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1 : host === pattern
}

function valid<X>(make: () => X): X {
  try {
    return make()
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  }
}
