import { blobBytes, dataUrlType, toBase64 } from '../core/media.ts'
import type { MediaPart, Message, Part, ProviderData } from '../core/message.ts'
import type { ModelRequest } from '../core/model.ts'
import type { SessionState, Turn } from '../core/state.ts'
import type { BlobStore } from '../core/store.ts'
import { Transcript } from '../core/transcript.ts'

/** Keeps bytes for good; resolves with their reference. */
export type Keep = (bytes: Uint8Array) => Promise<string>

/** A media part as somebody hands it in. */
export interface GivenMedia {
  readonly type: 'image' | 'file'
  readonly data: Uint8Array | string
  /** Default: what a `data:` URL says, else `image/png` or `application/octet-stream`. */
  readonly mediaType?: string | undefined
  readonly name?: string | undefined
  readonly providerData?: ProviderData | undefined
}

/** The part as the journal keeps it: bytes, and long texts that hold bytes, are in a blob before the entry that refers to it is written. */
export function keptMedia(keep: Keep, given: GivenMedia): MediaPart | Promise<MediaPart> {
  const { type, data, name, providerData } = given
  const bytes = blobBytes(data)
  const part = {
    type,
    mediaType: given.mediaType ?? dataUrlType(data) ?? (type === 'image' ? 'image/png' : 'application/octet-stream'),
    ...(name === undefined ? {} : { name }),
    ...(providerData === undefined ? {} : { providerData }),
  }
  if (bytes !== undefined) return keep(bytes).then((ref) => ({ ...part, ref }))
  return { ...part, data: String(data) }
}

/** What an activation has found of its session's media in the store, so that each step looks at new turns only. */
export interface MediaFound {
  /** How many sealed turns were looked at, and the last of them. */
  count: number
  last: Turn | undefined
  /** Where those stand that refer to blobs. */
  places: number[]
  /** The same messages with the data in place. */
  readonly whole: WeakMap<Message, Message>
}

export function noMediaFound(): MediaFound {
  return { count: 0, last: undefined, places: [], whole: new WeakMap() }
}

/**
 * The request as a model gets it: media has its data, `ref` reaches no model. Synchronous where the session has none, or all of it was
 * read before. Each message is made whole once, so that adapters may keep its encoding. Rejects when the store can't be read.
 */
export function withMedia(
  blobs: BlobStore,
  found: MediaFound,
  state: SessionState,
  request: ModelRequest,
): ModelRequest | Promise<ModelRequest> {
  const referring = messagesWithBlobs(found, state)
  if (referring.length === 0) return request
  const whole: ModelRequest = { ...request, messages: retold(request.messages, found.whole) }
  const missing = referring.filter((message) => !found.whole.has(message))
  if (missing.length === 0) return whole
  return Promise.all(missing.map(async (message) => found.whole.set(message, await wholeMessage(blobs, message)))).then(() => whole)
}

function retold(messages: Iterable<Message>, whole: WeakMap<Message, Message>): Iterable<Message> {
  if (messages instanceof Transcript) return messages.with(whole)
  return {
    *[Symbol.iterator]() {
      for (const message of messages) yield whole.get(message) ?? message
    },
  }
}

function messagesWithBlobs(found: MediaFound, { sealed, live }: SessionState): readonly Message[] {
  if (found.count > live.sealedCount || sealed[found.count - 1] !== found.last) {
    found.count = 0
    found.places = []
  }
  for (; found.count < live.sealedCount; found.count++) {
    found.last = sealed[found.count]
    if (found.last !== undefined && hasBlob(found.last.message.parts)) found.places.push(found.count)
  }
  if (found.places.length + live.prefix.length + live.queue.length === 0) return []
  const kept = found.places.filter((place) => place >= live.from).flatMap((place) => sealed[place]?.message ?? [])
  const others = [...live.prefix, ...live.queue].map((turn) => turn.message).filter(({ parts }) => hasBlob(parts))
  return [...kept, ...others]
}

function hasBlob(parts: readonly Part[]): boolean {
  return parts.some((part) => {
    if (part.type === 'tool-call') return typeof part.content === 'object' && hasBlob(part.content)
    return (part.type === 'image' || part.type === 'file') && part.ref !== undefined
  })
}

async function wholeMessage(blobs: BlobStore, message: Message): Promise<Message> {
  return { ...message, parts: await wholeParts(blobs, message.parts) }
}

function wholeParts(blobs: BlobStore, parts: readonly Part[]): Promise<readonly Part[]> {
  return Promise.all(parts.map((part) => wholePart(blobs, part)))
}

async function wholePart(blobs: BlobStore, part: Part): Promise<Part> {
  if (part.type === 'tool-call')
    return typeof part.content === 'object' ? { ...part, content: await wholeParts(blobs, part.content) } : part
  if ((part.type !== 'image' && part.type !== 'file') || part.ref === undefined) return part
  const { ref, ...rest } = part
  const bytes = await blobs.get(ref)
  // A session outlives its blobs (a bounded memory store, a backup without them): it must go on all the same.
  if (bytes === undefined) return { type: 'text', text: `[${part.type} (${part.mediaType}), which is no longer in the store]` }
  return { ...rest, data: toBase64(bytes) }
}
