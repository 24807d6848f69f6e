/** The signatures that servers here have given, each with what it signs: one of another part is as good as a corrupted one. */
const issued = new Map<string, string>()

/** The documented ones for calls that another model made. https://ai.google.dev/gemini-api/docs/thought-signatures */
const standIns: readonly string[] = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

/** @param what The name of the function, or `text`. */
export function sign(what: string): string {
  const signature = Buffer.from(`signature ${issued.size} of ${what}`).toString('base64')
  issued.set(signature, what)
  return signature
}

export function isSignatureOf(signature: string, what: string): boolean {
  return issued.get(signature) === what || (what !== 'text' && standIns.includes(signature))
}
