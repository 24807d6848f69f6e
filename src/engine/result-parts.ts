import { isJsonObject, type Json } from '../core/json.ts'
import { isPart, type Part, type ProviderData } from '../core/message.ts'
import { storableCopy } from '../core/storable.ts'
import { type GivenMedia, type Keep, keptMedia } from './media.ts'

/** Parts that a tool made itself, as the journal keeps them: plain JSON, checked where they enter, large media in blobs. */
export function keptParts(
  keep: Keep,
  parts: readonly unknown[],
  report: (error: unknown) => void,
): readonly Part[] | Promise<readonly Part[]> {
  const made = parts.map((part) => keptPart(keep, part, report))
  if (made.some((part) => part instanceof Promise)) return Promise.all(made)
  return made.filter((part): part is Part => !(part instanceof Promise))
}

function keptPart(keep: Keep, part: unknown, report: (error: unknown) => void): Part | Promise<Part> {
  const { json } = storableCopy(part)
  const media = mediaOf(part, json)
  if (media === undefined) return toPart(json)
  const kept = keptMedia(keep, media)
  // The tool has run: that the store can't keep what it shows must not look like a failure of the tool.
  return kept instanceof Promise ? kept.catch((error: unknown) => unkept(media, error, report)) : kept
}

/** Bytes are all that a copy as JSON does not have. */
function mediaOf(part: unknown, json: Json): GivenMedia | undefined {
  if (!isJsonObject(json)) return undefined
  const { type, mediaType, name, providerData } = json
  const data: unknown = typeof json['data'] === 'string' ? json['data'] : Reflect.get(Object(part), 'data')
  if ((type !== 'image' && type !== 'file') || !(typeof data === 'string' || data instanceof Uint8Array)) return undefined
  return {
    type,
    data,
    mediaType: typeof mediaType === 'string' ? mediaType : undefined,
    name: typeof name === 'string' ? name : undefined,
    providerData: isProviderData(providerData) ? providerData : undefined,
  }
}

/** A copy as JSON has no fields that are undefined. */
function isProviderData(value: unknown): value is ProviderData {
  return isJsonObject(value)
}

/** What is no part of a result (a call is none) is shown as what it is. */
function toPart(json: Json): Part {
  return isPart(json) && json.type !== 'tool-call' ? json : { type: 'text', text: JSON.stringify(json) }
}

function unkept({ type }: GivenMedia, error: unknown, report: (error: unknown) => void): Part {
  report(error)
  return { type: 'text', text: `[${type}, which could not be kept]` }
}
