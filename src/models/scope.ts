/** What stands behind the name of a model and names one state of it: a date, a number, `latest`, `preview`. */
const snapshot = /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-\d{3,4}|-\d{2}-\d{2,4}|-latest|-preview|-exp(?:erimental)?|@default|-v\d+:\d+)$/

/**
 * Under which key opaque data of a response is kept, and to whom it goes back: `anthropic/messages/claude-sonnet-4-5`. Models of one name but
 * for their snapshot are one family: what one of them has signed or encrypted the others read.
 *
 * @param api The name of the API, as one provider has several: `messages`, `responses`.
 */
export function scopeOf(provider: string, api: string, model: string): string {
  return `${provider}/${api}/${familyOf(model)}`
}

function familyOf(model: string): string {
  const name = model.toLowerCase().replace(/^(?:models|publishers\/[^/]+\/models)\//, '')
  let family = name
  // At most a date behind `preview`.
  for (let cut = 0; cut < 3; cut++) family = family.replace(snapshot, '')
  return family === '' ? name : family
}
