import type { Head } from '../../index.ts'
import { runStatuses } from '../sessions.ts'
import { type Check, fields, name, number, oneOf, optional, text, whole } from './shape.ts'

const head: Check = fields({
  status: oneOf(...runStatuses),
  pending: whole,
  reason: optional(text),
  wakeAt: optional(number),
  title: optional(text),
  agent: optional(name),
})

export function isHead(value: unknown): value is Head {
  return head(value)
}
