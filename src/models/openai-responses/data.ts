import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'

/**
 * What is kept of an item of the API on the part that stands for it, under the model's scope. An item whose content is in the part itself has
 * the rest of it here.
 */
export interface ItemData {
  /** The item as it came; of a call without `call_id` and what its input was made of, of a picture without `result`. */
  readonly item?: JsonObject
  /** Of a text: the message that it is of. Texts of one message have the same. */
  readonly message?: { readonly id?: string; readonly phase?: Json; readonly status?: Json }
  /** Of a text: it was told as a refusal. */
  readonly refusal?: true
  readonly annotations?: readonly Json[]
  /** The id of the last reasoning item before it in its response: one goes back with the other, or without its id (B067, B068). */
  readonly after?: string
  /** Its first id, where it got another one (Copilot makes one up for each event): `after` of what follows is that. */
  readonly firstId?: string
  /** Of the first part: the response that it is of, where it can be gone on with. */
  readonly response?: string
}

/** Read as leniently as what an older version, or a hook, may have left there. */
export function dataOf(json: Json | undefined): ItemData {
  if (!isJsonObject(json)) return {}
  const { item, message, refusal, annotations, after, firstId, response } = json
  return {
    ...(isJsonObject(item) ? { item } : {}),
    ...(isJsonObject(message) ? { message: messageOf(message) } : {}),
    ...(refusal === true ? { refusal } : {}),
    ...(Array.isArray(annotations) ? { annotations } : {}),
    ...(typeof after === 'string' ? { after } : {}),
    ...(typeof firstId === 'string' ? { firstId } : {}),
    ...(typeof response === 'string' ? { response } : {}),
  }
}

function messageOf({ id, phase, status }: JsonObject): NonNullable<ItemData['message']> {
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(phase === undefined ? {} : { phase }),
    ...(status === undefined ? {} : { status }),
  }
}
