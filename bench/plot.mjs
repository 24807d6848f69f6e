// What each step of a run of 4,000 costs, over HTTP, beside the loop by hand: draws docs/cost-per-step.svg. node bench/plot.mjs
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { compare } from './http/compare.mjs'

const bucket = 100
const [played] = await compare('steps', 1)
if (played === undefined) throw new Error('nothing was played')

/** Mean cost of a step (ms of CPU) in each hundred. @param {number[] | undefined} marks */
function costs(marks = []) {
  const means = []
  for (let at = 0; at + bucket < marks.length; at += bucket) means.push(((marks[at + bucket] ?? 0) - (marks[at] ?? 0)) / bucket)
  return means
}

const series = [
  { name: 'a loop by hand over fetch', color: '#b45309', values: costs(played.byHand.marks) },
  { name: 'Rondo', color: '#0f766e', values: costs(played.ours.marks) },
]
const [width, height, left, top, right, bottom] = [760, 360, 64, 40, 24, 52]
const steps = 4000
/** A multiple of 4, for the four lines of the grid. */
const most = Math.ceil(Math.max(...series.flatMap(({ values }) => values)) / 4) * 4
const x = (/** @type {number} */ step) => left + (step / steps) * (width - left - right)
const y = (/** @type {number} */ ms) => height - bottom - (ms / most) * (height - top - bottom)
const ticks = Array.from({ length: 5 }, (_, index) => (index * most) / 4)

const lines = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img">`,
  '<title>Cost of each step of a run of 4,000 steps</title>',
  `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
  `<text x="${left}" y="20" fill="#111827">CPU of the client for each step (ms), in a run of 4,000 steps over HTTP, Node ${process.versions.node}</text>`,
  ...ticks.flatMap((ms) => [
    `<line x1="${left}" x2="${width - right}" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}" stroke="#e5e7eb"/>`,
    `<text x="${left - 8}" y="${(y(ms) + 4).toFixed(1)}" text-anchor="end" fill="#4b5563">${ms}</text>`,
  ]),
  ...[0, 1000, 2000, 3000, 4000].map(
    (step) =>
      `<text x="${x(step).toFixed(1)}" y="${height - bottom + 20}" text-anchor="middle" fill="#4b5563">${step.toLocaleString('en')}</text>`,
  ),
  `<text x="${(left + width - right) / 2}" y="${height - 12}" text-anchor="middle" fill="#4b5563">step</text>`,
  ...series.flatMap(({ name, color, values }, place) => {
    const points = values.map((ms, index) => `${x((index + 0.5) * bucket).toFixed(1)},${y(ms).toFixed(1)}`).join(' ')
    const row = top + 18 + place * 20
    return [
      `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>`,
      `<line x1="${left + 12}" x2="${left + 36}" y1="${row - 4}" y2="${row - 4}" stroke="${color}" stroke-width="2"/>`,
      `<text x="${left + 44}" y="${row}" fill="#111827">${name}</text>`,
    ]
  }),
  '</svg>',
]
writeFileSync(new URL('../docs/cost-per-step.svg', import.meta.url), `${lines.join('\n')}\n`)
for (const { name, values } of series)
  console.log(`${name}: first hundred ${(values[0] ?? 0).toFixed(2)} ms a step, last hundred ${(values.at(-1) ?? 0).toFixed(2)} ms`)
console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}; docs/cost-per-step.svg`)
