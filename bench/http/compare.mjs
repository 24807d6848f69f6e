// Plays a workload with this library and with the loop by hand, each in a process of its own against a mock server, in turns.
import { fork, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** @param {string} name */
const path = (name) => fileURLToPath(new URL(name, import.meta.url))
export const clients = { ours: path('../peer.mjs'), byHand: path('./by-hand.mjs') }

/** @typedef {{ cpuMs: number, wallMs: number, growth?: number, peakMb?: number, kbPerRun?: number, marks?: number[] }} Figures */

/** @returns {Promise<{ port: number, stop(): void }>} */
function startMock() {
  return new Promise((resolve, reject) => {
    const mock = fork(path('./mock.mjs'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    mock.once('error', reject)
    mock.once('exit', (code) => reject(new Error(`the mock server ended early (${code})`)))
    mock.once('message', (port) => resolve({ port: Number(port), stop: () => mock.kill() }))
  })
}

/** One measurement. @param {string} client @param {string} workload @param {number} port @returns {Promise<Figures>} */
function once(client, workload, port) {
  return new Promise((resolve, reject) => {
    const args = ['--expose-gc', path('./measure.mjs'), client, workload, String(port)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let problem = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (problem = (problem + chunk).slice(-2_000)))
    child.once('error', reject)
    child.once('close', (code) => {
      try {
        if (code !== 0) throw new Error(problem)
        resolve(JSON.parse(out))
      } catch (cause) {
        reject(new Error(`${workload} with ${client} failed: ${cause}`, { cause }))
      }
    })
  })
}

/**
 * Rounds in which both play, in turns that change places, so that a machine that is now fast and now slow is so for both.
 * @param {string} workload @param {number} rounds @returns {Promise<{ ours: Figures, byHand: Figures }[]>}
 */
export async function compare(workload, rounds) {
  const played = []
  for (let round = 0; round < rounds; round++) {
    const { port, stop } = await startMock()
    try {
      const turn = async (/** @type {'ours' | 'byHand'} */ name) => once(clients[name], workload, port)
      if (round % 2 === 0) {
        const ours = await turn('ours')
        played.push({ ours, byHand: await turn('byHand') })
      } else {
        const byHand = await turn('byHand')
        played.push({ ours: await turn('ours'), byHand })
      }
    } finally {
      stop()
    }
  }
  return played
}
