import type { Model } from '../core/model.ts'
import type { Schema } from '../core/schema.ts'
import type { Tool, ToolDefinition, Tools } from '../core/tool.ts'
import type { AgentOptions } from '../options.ts'
import { type Mortal, never } from './mortal.ts'

/** The options of an agent that lives in a process: what it calls that is not ours dies with it. */
export function livingIn<const T extends Tools, const S extends Schema | undefined, C>(
  process: Mortal,
  options: AgentOptions<T, S, C>,
): AgentOptions<T, S, C> {
  const { model, tools, hooks, instructions } = options
  const { store, world } = process
  return {
    ...options,
    store,
    world,
    model: mortalModel(process, model),
    // The same tools, as far as types go: only what happens when they are called is another thing.
    ...(tools === undefined
      ? {}
      : { tools: tools.map((tool) => (isTool(tool) ? mortalTool(process, tool) : tool)) as readonly unknown[] as T }),
    ...(hooks === undefined ? {} : { hooks: mortalHooks(process, hooks) }),
    ...(typeof instructions === 'function'
      ? { instructions: (run) => process.through('instructions', () => instructions(run)) as string }
      : {}),
  }
}

function mortalModel(process: Mortal, model: Model): Model {
  const { provider, id, capabilities } = model
  return {
    provider,
    id,
    capabilities,
    stream(request, sink, options) {
      if (process.ends('before a model request')) return never()
      const answer = model.stream(
        request,
        (delta) => {
          if (!process.dead) sink(delta)
        },
        options,
      )
      if (!process.ends('after a model request')) return process.answered('at the end of a model response', answer)
      answer.catch(() => {})
      return never()
    },
  }
}

function isTool(tool: Tools[number]): tool is Tool {
  return '~definition' in tool
}

function mortalTool(process: Mortal, tool: Tool): Tool {
  const definition = tool['~definition']
  const { execute, reconcile, needsApproval } = definition
  const mortal: ToolDefinition = {
    ...definition,
    ...(execute === undefined
      ? {}
      : { execute: (input, call) => process.through(`${tool.name} of ${call.callId}`, () => execute(input, call)) }),
    ...(reconcile === undefined
      ? {}
      : {
          reconcile: (input, call) =>
            process.through(`reconcile of ${call.callId}`, () => reconcile(input, call)) as ReturnType<typeof reconcile>,
        }),
    ...(typeof needsApproval !== 'function'
      ? {}
      : {
          needsApproval: (input, call) =>
            process.through(`needsApproval of ${call.callId}`, () => needsApproval(input, call)) as ReturnType<typeof needsApproval>,
        }),
  }
  return { ...tool, '~definition': mortal }
}

function mortalHooks<H extends object>(process: Mortal, hooks: H): H {
  const wrapped = Object.entries(hooks).map(([name, hook]) => [
    name,
    typeof hook === 'function' ? (...given: readonly unknown[]) => process.through(name, () => Reflect.apply(hook, hooks, given)) : hook,
  ])
  return Object.fromEntries(wrapped)
}
