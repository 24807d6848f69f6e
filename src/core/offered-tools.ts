import { isJsonObject } from './json.ts'
import type { Model } from './model.ts'
import type { ProviderTool, Tool } from './tool.ts'

/** What a model is offered: tools that run here, and those that its provider runs. */
export type Offered = Tool | ProviderTool

export function isProviderTool(tool: object): tool is ProviderTool {
  return 'providerTool' in tool
}

/**
 * What a tool is called in journals, `allowedTools` and errors. One that the provider runs has a colon, as no other has, so that no call of
 * the model's is taken for it: `openai:web_search`.
 */
export function offeredName(tool: Offered): string {
  if (!isProviderTool(tool)) return tool.name
  const { provider, providerTool } = tool
  const { name, type } = isJsonObject(providerTool) ? providerTool : {}
  const [key] = Object.keys(isJsonObject(providerTool) ? providerTool : {})
  return `${provider}:${[name, type, key].find((word) => typeof word === 'string' && word !== '') ?? ''}`
}

/**
 * The tools for one of several models: without those that another one's provider runs. One of a provider that none of them has stays, for
 * the adapter to refuse. The same list when there is nothing to leave out.
 */
export function toolsFor<T extends Offered>(tools: readonly T[], model: Model, all: readonly Model[]): readonly T[] {
  const isForeign = (tool: Offered) =>
    isProviderTool(tool) && !isOf(model, tool.provider) && all.some((other) => isOf(other, tool.provider))
  return tools.some(isForeign) ? tools.filter((tool) => !isForeign(tool)) : tools
}

/** The models of AI SDK packages say their API too: `openai.responses`. */
function isOf({ provider }: Model, name: string): boolean {
  return provider === name || provider.split('.').includes(name)
}
