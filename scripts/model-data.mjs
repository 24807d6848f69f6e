// Makes src/models/registry/data.ts, what is known of current models, from a catalogue package: node scripts/model-data.mjs [version]
// Only figures are taken. docs/decisions/0029-model-registry.md says why this package, and what of it is not believed.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageName = '@earendil-works/pi-ai'
const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'src/models/registry/data.ts')

/** In the order of the lists. Plans that are paid by the month, and regional doubles, have no prices of tokens. */
const providers = [
  ...['openai', 'anthropic', 'google', 'mistral', 'groq', 'xai', 'deepseek', 'moonshotai', 'zai', 'minimax', 'meta', 'xiaomi', 'cerebras'],
  ...['together', 'fireworks', 'baseten', 'huggingface', 'openrouter', 'azure', 'amazon-bedrock', 'google-vertex', 'vercel-ai-gateway'],
]

/** @typedef {{ input: number, output: number, cacheRead: number, cacheWrite: number }} Rates */
/** @typedef {{ id: string, type: string, baseUrl?: string, reasoning?: boolean, input?: string[], contextWindow: number, maxTokens: number, cost: Rates & { tiers?: (Rates & { inputTokensAbove: number })[] } }} Model */

/** What the source puts where its own source says nothing. */
const placeholder = 4_096

/** @param {string} folder @param {string} provider @returns {Model[]} */
function modelsOf(folder, provider) {
  const byApi = JSON.parse(readFileSync(join(folder, 'package/dist/providers/data', `${provider}.json`), 'utf8'))
  const all = Object.values(byApi).flatMap((models) => Object.values(models))
  return all.filter(({ type }) => type === 'chat')
}

/**
 * A line of the table: id, window, output limit, what it can, prices; what is not known is `-`.
 * @param {Model} model @param {Map<string, Model>} elsewhere
 */
function lineOf(model, elsewhere) {
  const { id, maxTokens, reasoning, input = [] } = model
  if (/\s|[`$\\]/.test(id)) throw new Error(`The id ${JSON.stringify(id)} fits no table.`)
  const abilities = `${reasoning === true ? 'r' : ''}${input.includes('image') ? 'i' : ''}`
  const limits = [windowOf(model, elsewhere), maxTokens === placeholder ? undefined : maxTokens].map((limit) =>
    (limit ?? 0) > 0 ? limit : '-',
  )
  return [id, ...limits, abilities || '-', ...pricesOf(model)].join(' ')
}

/**
 * Some windows are cut to where a higher price begins, so that nobody pays it: a window that a price tier lies beyond is that of another provider's same model,
 * or not known.
 * @param {Model} model @param {Map<string, Model>} elsewhere
 */
function windowOf({ id, contextWindow, cost }, elsewhere) {
  const beyond = Math.max(0, ...(cost.tiers ?? []).map(({ inputTokensAbove }) => inputTokensAbove))
  const window = contextWindow > beyond ? contextWindow : elsewhere.get(id)?.contextWindow
  return window === undefined || window <= beyond || window === placeholder ? undefined : window
}

/** 0 is what the source says of what it does not know: only what is called free is free. @param {Model} model */
function pricesOf({ id, cost }) {
  const isFree = id.endsWith(':free')
  if (isFree) return [0, 0, 0, 0]
  if (!(cost.input > 0 && cost.output > 0)) return []
  const tiers = [...(cost.tiers ?? [])].sort((a, b) => a.inputTokensAbove - b.inputTokensAbove)
  return [...rates(cost), ...tiers.flatMap((tier) => [`>${tier.inputTokensAbove}`, ...rates(tier)])]
}

/** @param {Rates} rates */
function rates({ input, output, cacheRead, cacheWrite }) {
  return [input, output, cacheRead, cacheWrite].map((rate) => (rate > 0 ? Number(rate.toPrecision(6)) : '-'))
}

/** A dated model that is like the one without a date is found by that. @param {string[]} lines */
function withoutDoubles(lines) {
  const facts = new Map(lines.map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' '))]))
  return lines.filter((line) => {
    const id = line.split(' ', 1)[0] ?? ''
    const undated = id.replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, '')
    return undated === id || facts.get(undated) !== facts.get(id)
  })
}

/** The host of the API, where it is one and the same for everybody. @param {Model[]} models */
function hostOf(models) {
  const hosts = new Set(models.flatMap(({ baseUrl = '' }) => (URL.canParse(baseUrl) ? [new URL(baseUrl).host] : [])))
  const [host = ''] = hosts
  return hosts.size === 1 && !/[{}]|%7b|amazonaws/i.test(host) ? host : '-'
}

/** Vertex has Gemini's prices, and in the source not their tiers. @param {Model[]} models @param {Model[]} makers */
function withTiersOf(models, makers) {
  const byId = new Map(makers.map((model) => [model.id, model]))
  return models.map((model) => {
    const maker = byId.get(model.id)
    const isSame = maker !== undefined && maker.cost.input === model.cost.input && maker.cost.output === model.cost.output
    return isSame ? { ...model, cost: { ...maker.cost, ...model.cost } } : model
  })
}

const folder = mkdtempSync(join(tmpdir(), 'rondo-model-data-'))
try {
  const wanted = `${packageName}@${process.argv[2] ?? 'latest'}`
  const packed = JSON.parse(execFileSync('npm', ['pack', '--json', wanted], { cwd: folder, encoding: 'utf8' }))
  const { version, filename } = (Array.isArray(packed) ? packed : Object.values(packed))[0]
  execFileSync('tar', ['xzf', filename.replace('@', '').replace('/', '-')], { cwd: folder })
  const { generatedAt } = JSON.parse(readFileSync(join(folder, 'package/dist/providers/data/.manifest.json'), 'utf8'))
  const { license } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
  const azure = new Map(modelsOf(folder, 'azure').map((model) => [model.id, model]))
  const nowhere = new Map()
  const blocks = providers.map((provider) => {
    const own = modelsOf(folder, provider)
    const models = provider === 'google-vertex' ? withTiersOf(own, modelsOf(folder, 'google')) : own
    const lines = models.map((model) => lineOf(model, provider === 'openai' ? azure : nowhere))
    const sorted = withoutDoubles([...new Set(lines)]).sort(new Intl.Collator('en', { numeric: true }).compare)
    return [`@ ${provider} ${hostOf(models)}`, ...sorted].join('\n')
  })
  const text = `// Made by scripts/model-data.mjs: change that, not this.
import type { DataSource } from './entry.ts'

export const dataSource: DataSource = {
  package: '${packageName}',
  version: '${version}',
  licence: '${license}',
  date: '${generatedAt.slice(0, 10)}',
}

/**
 * A line is a provider and the host of its API, or a model: id, context window, output limit, what it can (r reasons, i takes images), then USD for a million
 * tokens of input, output, cached input, cache write; behind \`>N\` the same four for a request with more than N input tokens. \`-\` is unknown.
 */
export const table: string = \`
${blocks.join('\n')}
\`
`
  writeFileSync(target, text)
  console.log(
    `${wanted}: version ${version} of ${generatedAt.slice(0, 10)}, ${blocks.join('\n').split('\n').length - blocks.length} models, ${text.length} bytes`,
  )
} finally {
  rmSync(folder, { recursive: true })
}
