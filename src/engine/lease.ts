import { RondoError } from '../core/error.ts'
import { type Activation, poke } from './activation.ts'
import { lookAtStore } from './patience.ts'

/** A lease is held this long (ms) and renewed three times as often; the holder stops itself this much before its end. */
export const leaseMs = 15_000
export const leaseMarginMs = 1_000

/**
 * Renews the lease until the returned function is called. It is lost when the store refuses, or has not answered by its end. A process that
 * could not beat in time (it was busy, or asleep) asks first, and nothing begins before the answer.
 */
export function heartbeat(a: Activation): () => void {
  const { clock } = a.world
  const everyMs = a.ttlMs / 3
  /** When the first renewal was asked for that has had no answer yet. */
  let asking: number | undefined
  let unanswered = 0
  let cancel = clock.timer(everyMs, beat)
  function beat(): void {
    const now = clock.monotonic()
    lookAtStore(a, now)
    // Not held yet, or given up with the store.
    if (a.epoch === 0 || a.detached) {
      cancel = clock.timer(everyMs, beat)
      return
    }
    asking ??= now
    const patience = Math.max(a.leaseUntil, asking + everyMs)
    if (now >= patience) {
      a.silent ||= unanswered > 0
      return loseLease(a, 'The lease of the session ran out before it was renewed.')
    }
    unanswered++
    a.store.renew(a.sessionId, { epoch: a.epoch, ttlMs: a.ttlMs }).then(
      (held) => {
        asking = undefined
        unanswered--
        if (!held) return loseLease(a)
        a.leaseUntil = Math.max(a.leaseUntil, now + a.ttlMs - leaseMarginMs)
        // What was not begun because the lease was over may begin now.
        poke(a)
      },
      () => {
        unanswered--
      },
    )
    cancel = clock.timer(Math.min(now < a.leaseUntil ? everyMs : everyMs / 5, patience - now), beat)
  }
  return () => cancel()
}

export function loseLease(a: Activation, why = 'Another process drives the session now.'): void {
  a.lost ??= { reason: 'lease_lost', error: new RondoError('SessionLeaseLost', why) }
  a.asked?.giveUp(a.lost.error)
  poke(a)
}
