// Says what type-checking eighty tools in one agent (test/types/many-tools.ts) costs beyond an empty file: `npm run build`, then
// `node scripts/types-speed.mjs [another tsc]`. Run by hand on a quiet machine.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = process.argv[2] ?? join(root, 'node_modules/typescript/bin/tsc')
// What a user's compiler reads: the declarations of the last build, not the sources.
const paths = { rondo: ['../dist/index.d.ts'] }
const folder = mkdtempSync(join(root, '.types-speed-'))

/** @param {string} file @returns {number} seconds, the best of five */
function seconds(file) {
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ extends: '../tsconfig.json', compilerOptions: { paths }, include: [], files: [file] }))
  const times = Array.from({ length: 5 }, () => {
    const begun = performance.now()
    const { status, stdout } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', config], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stdout)
    return (performance.now() - begun) / 1000
  })
  return Math.min(...times)
}

try {
  const empty = join(folder, 'empty.ts')
  const imports = join(folder, 'imports.ts')
  writeFileSync(empty, 'export {}\n')
  writeFileSync(imports, "export { Agent, tool } from 'rondo'\nexport { z } from 'zod'\n")
  const base = seconds(empty)
  const shown = [base, seconds(imports), seconds(join(root, 'test/types/many-tools.ts'))].map((time) => time.toFixed(2))
  const more = (Number(shown[2]) - base).toFixed(2)
  console.log(
    `empty file ${shown[0]} s, imports alone ${shown[1]} s, eighty tools ${shown[2]} s: ${more} s more than an empty file (target 0.5)`,
  )
} finally {
  rmSync(folder, { recursive: true })
}
