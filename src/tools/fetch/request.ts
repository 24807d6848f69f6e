import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { problem } from '../files/problem.ts'
import type { Network } from './network.ts'
import { hostAddress } from './rules.ts'
import type { Target } from './target.ts'
import type { Watch } from './watch.ts'

/** An answer whose body is yet to be read. */
export interface Answer {
  readonly target: Target
  readonly response: IncomingMessage
  /** Closes its connection. */
  close(): void
}

/** Sends one GET on a connection of its own. Nothing is sent but what stands here: no cookies, no credentials, no referrer. */
export function request(target: Target, userAgent: string, network: Network, watch: Watch): Promise<Answer> {
  const { url, addresses } = target
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const socket: Duplex = network.connect({ secure, host: hostAddress(url), port, addresses })
  return new Promise((resolve, reject) => {
    const sent = process.getBuiltinModule('node:http').request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: { host: url.host, 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'gzip, br', connection: 'close' },
      // Without an agent nothing is kept: no request travels on a connection that was made for another.
      createConnection: () => socket,
    })
    const stop = (): void => {
      sent.destroy()
      socket.destroy()
      reject(watch.signal.reason)
    }
    const close = (): void => {
      watch.signal.removeEventListener('abort', stop)
      sent.destroy()
      socket.destroy()
    }
    watch.signal.addEventListener('abort', stop, { once: true })
    sent.on('socket', (used) => used.once(secure ? 'secureConnect' : 'connect', () => watch.alive()))
    let answered = false
    sent.on('error', (error) => {
      // What has come of an answer can be read, whatever is wrong behind it; whether that is all, the answer says itself.
      if (answered) return
      close()
      reject(error)
    })
    sent.once('response', (response) => {
      watch.alive()
      answered = true
      resolve({ target, response, close })
    })
    sent.once('upgrade', ({ statusCode }) => {
      close()
      reject(problem(`${target.label} answered ${statusCode} and wants another protocol than HTTP, which is not spoken. Use another URL.`))
    })
    sent.end()
    if (watch.signal.aborted) stop()
  })
}
