import type { FakeHead } from '../server.ts'
import type { GeminiRules } from './quirks.ts'

/** The model that a path names. */
export function modelIn({ path }: FakeHead): string {
  return /\/models\/([^/:?]+):/.exec(path)?.[1] ?? ''
}

/** Whether a path is that of Vertex AI. */
export function isVertex({ path }: FakeHead): boolean {
  return path.includes('/projects/')
}

export function isGemini3(head: FakeHead, { isGemini3: told }: GeminiRules): boolean {
  return told ?? /gemini-(?:[3-9]|\d{2})|-latest$/.test(modelIn(head))
}
