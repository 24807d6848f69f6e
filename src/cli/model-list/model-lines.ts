import type { ModelEntry, ModelPrices, ModelRates } from '../../models/registry/index.ts'
import type { Output } from '../terminal.ts'
import { columnsOf, oneLine, padEnd, padStart, styled, wrapped } from '../text.ts'

type Screen = Pick<Output, 'color' | 'columns'>

const unknown = '-'
const titles = ['window', 'output', '$ in', '$ out'] as const
const widths = [7, 7, 7, 7] as const
const gap = '  '
/** Of the numbers and the letters behind them. */
const figuresColumns = widths.reduce((sum, width) => sum + width, 0) + gap.length + 2
const leastNameColumns = 20
const indent = '  '

/**
 * A line a model: its name, window and output limit in tokens, prices, what it can. On a screen a name that is too long stands in a line of its own, and so does
 * each where the screen is narrow.
 */
export function modelTable(entries: readonly ModelEntry[], screen: Screen): string {
  const names = entries.map(nameOf)
  const longest = Math.max(...names.map(columnsOf))
  const room = screen.columns === undefined ? Infinity : screen.columns - figuresColumns
  const nameColumns = room < leastNameColumns ? 0 : Math.min(longest, room)
  const before = ' '.repeat(nameColumns === 0 ? indent.length : nameColumns)
  const heads = titles.map((text, at) => padStart(text, widths[at] ?? 0)).join('')
  const title = nameColumns === 0 ? `model\n${before}${heads}` : `${padEnd('model', nameColumns)}${heads}`
  const rows = entries.map((entry, at) => {
    const name = names[at] ?? ''
    const figures = figuresOf(entry)
    if (columnsOf(name) <= nameColumns) return `${padEnd(name, nameColumns)}${figures}\n`
    return `${wrapped(name, screen.columns, '')}${before}${figures}\n`
  })
  return `${styled(title, 'dim', screen)}\n${rows.join('')}`
}

function nameOf({ provider, id, origin }: ModelEntry): string {
  return `${oneLine(provider)}:${oneLine(id)}${origin === 'own' ? '*' : ''}`
}

function figuresOf({ contextWindow, maxOutputTokens, prices, capabilities }: ModelEntry): string {
  const figures = [short(contextWindow), short(maxOutputTokens), dollars(prices?.input), dollars(prices?.output)]
  const letters = `${capabilities.reasoning === true ? 'R' : ''}${capabilities.images === true ? 'I' : ''}`
  return `${figures.map((text, at) => padStart(text, widths[at] ?? 0)).join('')}${gap}${letters}`.trimEnd()
}

/** `8.19k`, `400k`, `1.05M`. */
function short(tokens: number | undefined): string {
  if (tokens === undefined) return unknown
  if (tokens < 1_000) return String(tokens)
  return tokens < 999_500 ? `${Number((tokens / 1_000).toPrecision(3))}k` : `${Number((tokens / 1_000_000).toPrecision(3))}M`
}

function dollars(rate: number | undefined): string {
  return rate === undefined ? unknown : String(Number(rate.toPrecision(4)))
}

const labelColumns = 16

/** All that is known of a model. */
export function modelFacts(entry: ModelEntry, asked: string, screen: Screen): string {
  const { contextWindow, maxInputTokens, maxOutputTokens, aliases, capabilities, prices, origin } = entry
  const name = `${oneLine(entry.provider)}:${oneLine(entry.id)}`
  const tokens = (limit: number | undefined) => (limit === undefined ? 'not known' : `${limit.toLocaleString('en-US')} tokens`)
  const facts: readonly (readonly [label: string, value: string])[] = [
    ['context window', tokens(contextWindow)],
    ...(maxInputTokens === undefined ? [] : [['input limit', tokens(maxInputTokens)] as const]),
    ['output limit', tokens(maxOutputTokens)],
    ['reasoning', saidOf(capabilities.reasoning)],
    ['images', saidOf(capabilities.images)],
    ...others(capabilities),
    ...priceFacts(prices),
    ...(aliases.length === 0 ? [] : [['aliases', aliases.map(oneLine).join(', ')] as const]),
    ...(origin === 'own' ? [['yours', 'rondo.config.json says some of this'] as const] : []),
  ]
  const lines = facts.map(([label, value]) => {
    const text = wrapped(value, screen.columns, ' '.repeat(labelColumns)).slice(labelColumns)
    return `${styled(padEnd(label, labelColumns), 'dim', screen)}${text}`
  })
  const title = asked === name ? name : `${name} (${oneLine(asked)})`
  return `${styled(wrapped(title, screen.columns, '').trimEnd(), 'bold', screen)}\n${lines.join('')}`
}

function saidOf(value: boolean | string | undefined): string {
  return value === undefined ? 'not known' : typeof value === 'string' ? value : value ? 'yes' : 'no'
}

/** What only a user says. */
function others({ structuredOutput, parallelCalls, imagesInResults }: ModelEntry['capabilities']): (readonly [string, string])[] {
  const all = [
    ['json output', structuredOutput],
    ['parallel calls', parallelCalls],
    ['result images', imagesInResults],
  ] as const
  return all.flatMap(([label, value]) => (value === undefined ? [] : [[label, saidOf(value)] as const]))
}

function priceFacts(prices: ModelPrices | undefined): (readonly [string, string])[] {
  if (prices === undefined) return [['price', 'not known']]
  const tiers = (prices.tiers ?? []).map((tier) => [`> ${short(tier.above)} input`, ratesText(tier)] as const)
  return [['price', `${ratesText(prices)}, for a million tokens`], ...tiers]
}

function ratesText({ input, output, cachedInput, cacheWrite, longCacheWrite }: ModelRates): string {
  const rates = [
    ['input', input],
    ['output', output],
    ['cached input', cachedInput],
    ['cache write', cacheWrite],
    ['cache write for an hour', longCacheWrite],
  ] as const
  return rates.flatMap(([what, rate]) => (rate === undefined ? [] : [`$${dollars(rate)} ${what}`])).join(', ')
}
