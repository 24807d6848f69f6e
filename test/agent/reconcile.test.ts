import { describe, expect, test } from 'vitest'
import { content, done, type Policies, suspend, type Tool, tool } from '../../src/index.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { agentIn, end, journal, otherProcess, scriptedLab } from '../acceptance/kit.ts'

interface Bill {
  readonly amount: number
}

const bill = jsonSchema<Bill>({ type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] })

type Reconcile = NonNullable<Parameters<typeof tool>[0]['reconcile']>

/** A payment whose first attempt never comes back, and what its tool finds out afterwards. */
function payment(reconcile: Reconcile, more: object = {}): { readonly pay: Tool; readonly paid: string[] } {
  const paid: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: bill,
    execute: (_input: unknown, { attempt, idempotencyKey }) => {
      paid.push(`${idempotencyKey} ${attempt}`)
      return paid.length === 1 ? new Promise(() => {}) : 'paid'
    },
    reconcile,
    ...more,
  })
  return { pay, paid }
}

const pays = { calls: [{ name: 'pay', input: { amount: 5 } }] }

/** The process dies while the payment is under way; another one resumes. */
async function afterCrash(reconcile: Reconcile, more: object = {}, policies: Policies = {}) {
  const { pay, paid } = payment(reconcile, more)
  const place = scriptedLab([pays, 'ok'])
  void agentIn({ ...place, store: otherProcess(place.store) }, { tools: [pay] }).stream('Hi', { session: 's' })
  await place.clock.advance(10)
  place.clock.jump(60_000)
  const errors: unknown[] = []
  const options = { tools: [pay], policies, onObserverError: (error: unknown) => errors.push(error) }
  const second = agentIn({ ...place, store: otherProcess(place.store) }, options)
  const result = await place.clock.until(second.resume('s').result)
  const [call] = result.calls
  return { place, paid, errors: errors.map(String), result, call }
}

describe('machine 4: an unsafe call whose outcome a crash has lost', () => {
  test('promise 4: what reconcile has found is its outcome; it does not run again', async () => {
    const asked: unknown[] = []
    const { call, paid, result, place } = await afterCrash((input, info) => {
      asked.push([input, info.callId, info.attempt, info.idempotencyKey])
      return { settled: { receipt: 7 } }
    })
    expect([call?.outcome, call?.output, paid, end(result)]).toEqual(['ok', { receipt: 7 }, ['s/m1.0 1'], 'completed completed'])
    expect(asked).toEqual([[{ amount: 5 }, 'm1.0', 1, 's/m1.0']])
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('call'))).toEqual([
      'call.prepared m1.0',
      'call.started m1.0',
      'call.settled m1.0 ok',
    ])
  })

  test('promise 4: one that was never started runs, under the same key', async () => {
    const { call, paid } = await afterCrash(async () => 'not-started' as const)
    expect([call?.outcome, paid]).toEqual(['ok', ['s/m1.0 1', 's/m1.0 2']])
  })

  test.each<[string, Reconcile, string[]]>([
    ["that can't find out", () => 'unknown', []],
    [
      'that throws',
      () => {
        throw new Error('the bank is closed')
      },
      ['Error: the bank is closed'],
    ],
    ['that rejects', () => Promise.reject(new Error('the bank is closed')), ['Error: the bank is closed']],
    [
      'that says something else',
      () => 'paid' as 'unknown',
      ["Error: reconcile of 'pay' must return { settled }, 'not-started' or 'unknown'; the call counts as unknown"],
    ],
  ])('a tool %s: its outcome is unknown, and it does not run again', async (_, reconcile, reported) => {
    const { call, paid, errors, result } = await afterCrash(reconcile)
    expect([call?.outcome, paid, errors, end(result)]).toEqual(['unknown', ['s/m1.0 1'], reported, 'completed completed'])
  })

  const failing = content([{ type: 'text', text: 'declined' }], { isError: true })

  test.each<[string, unknown, Policies, readonly unknown[]]>([
    ['done(): it ends the run', done('paid'), {}, ['completed done_tool', 'ok', 'paid', undefined, []]],
    ['content()', content([{ type: 'text', text: 'a receipt' }]), {}, ['completed completed', 'ok', 'a receipt', undefined, []]],
    ['content() that is an error', failing, {}, ['completed completed', 'error', undefined, 'declined', []]],
    [
      "the same with toolFailureMode: 'fail'",
      failing,
      { toolFailureMode: 'fail' },
      ['failed tool_failure', 'error', undefined, 'declined', []],
    ],
    [
      'suspend(): it found nothing',
      suspend({ correlationId: 'x' }),
      {},
      [
        ...['completed completed', 'unknown', undefined],
        'It is unknown whether this call took effect: it began, and its outcome was lost. Do not repeat it without checking; ask the user if you cannot check.',
        ["RondoError: The result of call 'm1.0' can't be suspend(): that is for execute to return."],
      ],
    ],
  ])('what was found is what execute would have returned: %s', async (_, settled, policies, expected) => {
    const { call, errors, result } = await afterCrash(() => ({ settled }), {}, policies)
    expect([end(result), call?.outcome, call?.output, call?.outcome === 'ok' ? undefined : call?.error.message, errors]).toEqual(expected)
  })

  test("what was found and its schema refuses does not escape toolFailureMode: 'fail'", async () => {
    const outputSchema = jsonSchema<string>({ type: 'string' })
    const { call, result } = await afterCrash(() => ({ settled: 42 }), { outputSchema }, { toolFailureMode: 'fail' })
    expect([end(result), call?.outcome]).toEqual(['failed tool_failure', 'error'])
  })

  test('machine 4: a tool that ends its process each time is tried three times, whatever it finds out', async () => {
    const { pay, paid } = payment(() => 'not-started', {
      execute: (_input: unknown, { attempt }: { attempt: number }) => {
        paid.push(String(attempt))
        return new Promise(() => {})
      },
    })
    const place = scriptedLab([pays, 'ok'])
    const process = () => agentIn({ ...place, store: otherProcess(place.store) }, { tools: [pay] })
    void process().stream('Hi', { session: 's' })
    for (let crash = 0; crash < 3; crash++) {
      await place.clock.advance(10)
      place.clock.jump(60_000)
      if (crash < 2) void process().resume('s')
    }
    const result = await place.clock.until(process().resume('s').result)
    expect([paid, result.calls[0]?.outcome]).toEqual([['1', '2', '3'], 'error'])
  })

  test('a tool that never answers has its time limit, and is told', async () => {
    let told: string | undefined
    const { call, paid } = await afterCrash(
      (_input, { signal }) => {
        signal.addEventListener('abort', () => {
          told = String(signal.reason.message)
        })
        return new Promise(() => {})
      },
      { timeoutMs: 300_000 },
    )
    expect([call?.outcome, paid, told]).toEqual(['unknown', ['s/m1.0 1'], 'The call has settled without waiting for this.'])
  })

  test('arguments that its schema does not take any more: unknown, for it did run', async () => {
    let closed = false
    const inputSchema = {
      '~standard': { ...bill['~standard'], validate: (value: unknown) => (closed ? { issues: [{ message: 'no' }] } : { value }) },
    }
    const { call } = await afterCrash(() => 'not-started', {
      inputSchema,
      execute: () => {
        closed = true
        return new Promise(() => {})
      },
    } as object)
    expect(call?.outcome).toBe('unknown')
  })
})

describe('machine 4, guard ◆: the same call again, after one whose outcome is unknown', () => {
  /** The first payment times out; the model asks for it once more. */
  async function askedAgain(reconcile: Reconcile) {
    const { pay, paid } = payment(reconcile, { timeoutMs: 100 })
    const place = scriptedLab([pays, pays, 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [pay] }).run('Hi'))
    return { paid, outcomes: result.calls.map(({ outcome, output }) => (output === undefined ? outcome : [outcome, output])), result }
  }

  test('it is asked about the one before: what took effect is the result, and nothing runs', async () => {
    const asked: string[] = []
    const { outcomes, paid } = await askedAgain((_input, { callId, idempotencyKey }) => {
      asked.push(`${callId} ${idempotencyKey.slice(-4)}`)
      return { settled: 'paid before' }
    })
    expect([outcomes, paid.length, asked]).toEqual([['timeout', ['ok', 'paid before']], 1, ['m1.0 m1.0']])
  })

  test('what never took effect is run, as the call that it is', async () => {
    const { outcomes, paid } = await askedAgain(() => 'not-started')
    expect([outcomes, paid.map((line) => line.slice(-6))]).toEqual([
      ['timeout', ['ok', 'paid']],
      ['m1.0 1', 'm2.0 1'],
    ])
  })

  test('what stays unknown does not run', async () => {
    const { outcomes, paid, result } = await askedAgain(() => 'unknown')
    expect([outcomes, paid.length]).toEqual([['timeout', 'skipped'], 1])
    expect(result.calls[1]).toMatchObject({ error: { code: 'ToolOutcomeUnknown' } })
  })
})
