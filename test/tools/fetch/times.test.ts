import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { startWatch } from '../../../src/tools/fetch/watch.ts'
import { failure, fetchUrl, serve, world } from './world.ts'

const plain = { 'content-type': 'text/plain' }
const url = 'http://site.test/'

test('a server that says nothing, or stops in the middle, is left after the idle limit', async () => {
  const silent = await serve(() => {})
  const limits = { idleMs: 50 }
  const nothing = 'Nothing came within 50 ms. Try again later, or use another URL.'
  expect(await failure(fetchUrl(world(silent), { url }, { limits }))).toBe(nothing)
  const stops = await serve((_request, response) => void response.writeHead(200, plain).write('begun'))
  expect(await failure(fetchUrl(world(stops), { url }, { limits }))).toBe(nothing)
  const resolver = { ...world(), resolve: () => new Promise<never>(() => {}) }
  expect(await failure(fetchUrl(resolver, { url }, { limits }))).toBe(nothing)
})

test('a body that trickles is left after the limit of the whole, redirects included', async () => {
  const trickle = (response: ServerResponse): void => {
    if (response.destroyed) return
    response.write('.')
    setTimeout(trickle, 5, response)
  }
  let hops = 0
  const port = await serve((_request, response) => {
    if (hops++ === 0) setTimeout(() => response.writeHead(302, { location: '/next' }).end(), 20)
    else trickle(response.writeHead(200, plain))
  })
  const limits = { totalMs: 100, idleMs: 10_000 }
  const started = performance.now()
  expect(await failure(fetchUrl(world(port), { url }, { limits }))).toBe(
    'The answer was not complete within 100 ms. Try again later, or use another URL.',
  )
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('the idle limit begins anew with each piece', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(200, plain)
    let left = 8
    const step = () => (left-- === 0 ? response.end() : response.write('.', () => setTimeout(step, 150)))
    step()
  })
  expect(await fetchUrl(world(port), { url }, { limits: { idleMs: 1_000 } })).toMatchObject({ text: '........' })
})

test.each(['before the answer', 'in the body', 'in a compressed body'])('an abort %s closes the socket at once', async (when) => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const closed = new Promise<void>((resolve) => {
    void serve((request, response) => {
      request.socket.once('close', () => resolve())
      if (when === 'in the body') response.writeHead(200, plain).write('begun')
      if (when === 'in a compressed body')
        response.writeHead(200, { ...plain, 'content-encoding': 'gzip' }).write(gzipSync('begun').subarray(0, 12))
      setTimeout(() => controller.abort(reason), 30)
    }).then((port) => expect(fetchUrl(world(port), { url }, {}, controller.signal)).rejects.toBe(reason))
  })
  await closed
})

test('an abort ends a connection that does not come about', async () => {
  const controller = new AbortController()
  const silent = createServer()
  onTestFinished(() => void silent.close())
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  const accepted = once(silent, 'connection')
  const result = fetchUrl(world(port), { url: 'https://site.test/' }, {}, controller.signal)
  const [socket] = await accepted
  socket.resume()
  controller.abort(new Error('stopped'))
  await expect(result).rejects.toThrow('stopped')
  await once(socket, 'close')
})

test('a call that is aborted already asks nobody', async () => {
  const network = world()
  await expect(fetchUrl(network, { url }, {}, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
  expect(network).toMatchObject({ asked: [], connections: [] })
})

test('nothing stays on the signal of the caller', async () => {
  const port = await serve((_request, response) => response.writeHead(200, plain).end('x'))
  const { signal } = new AbortController()
  let listeners = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    },
    removeEventListener: (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    },
  })
  await fetchUrl(world(port), { url }, {}, signal)
  expect(listeners).toBe(0)
  startWatch(signal, { totalMs: 1, idleMs: 1 }).end()
  expect(listeners).toBe(0)
})
