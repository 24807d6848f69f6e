/** The signatures that servers here have given, each with what it signs: one of another part is as good as a corrupted one. */
const issued = new Map<string, string>()

/** The documented ones for calls that another model made. https://ai.google.dev/gemini-api/docs/thought-signatures */
const words = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

/** As they are written there, and as the bytes that the field is. */
const standIns: readonly string[] = [...words, ...words.map((word) => Buffer.from(word).toString('base64'))]

/** What the API takes back as the name of a function. */
const legal = /^[a-zA-Z_][\w.-]{0,63}$/

/** @param what The name of the function, or `text`. */
export function sign(what: string): string {
  const signature = Buffer.from(`signature ${issued.size} of ${what}`).toString('base64')
  issued.set(signature, what)
  return signature
}

export function isSignatureOf(signature: string, what: string): boolean {
  const of = issued.get(signature)
  if (of === what) return true
  if (what === 'text') return false
  // A name that the model made up and nobody takes back must come back as another one.
  return standIns.includes(signature) || (of !== undefined && of !== 'text' && !legal.test(of))
}
