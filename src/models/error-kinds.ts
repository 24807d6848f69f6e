import type { ErrorCode } from '../core/error.ts'
import type { ErrorFacts } from './error-body.ts'
import { type Overflow, overflowIn } from './overflow.ts'

/** What kind of failure it is, in more detail than the codes: each has its wording and says whether another attempt may help. */
export type ErrorKind = keyof typeof kinds

interface Kind {
  readonly code: ErrorCode
  readonly retryable: boolean
  /** Follows the provider's name. */
  readonly says: string
  /** What to do about it. `KEY` becomes what the user gave the key in. */
  readonly advice: string
}

export const kinds = {
  rate: { code: 'ModelRateLimited', retryable: true, says: 'limits the rate', advice: '' },
  tooLarge: {
    code: 'ModelRateLimited',
    retryable: false,
    says: 'refuses a request that alone is over the rate limit',
    advice: 'Send less, or have the limit raised.',
  },
  quota: {
    code: 'ModelQuotaExceeded',
    retryable: false,
    says: 'says that the quota or the credit of the account is used up',
    advice: 'Look at the plan and the billing of the account.',
  },
  auth: { code: 'ModelAuthError', retryable: false, says: 'does not accept the key', advice: 'Check KEY.' },
  forbidden: { code: 'ModelAuthError', retryable: false, says: 'does not allow this', advice: 'Check what KEY may do.' },
  overflow: { code: 'ModelContextOverflow', retryable: false, says: 'says that the input is too long for the model', advice: '' },
  cutAway: {
    code: 'ModelContextOverflow',
    retryable: true,
    says: 'has lost the user messages',
    advice: 'It may have cut the input to its context size: raise that, or send less.',
  },
  blocked: { code: 'ModelContentBlocked', retryable: false, says: 'refused the content', advice: '' },
  output: {
    code: 'ModelServerError',
    retryable: true,
    says: 'could not use what the model wrote (an error of the model, not an outage)',
    advice: '',
  },
  timeout: { code: 'ModelTimeout', retryable: true, says: 'ran out of time', advice: '' },
  server: { code: 'ModelServerError', retryable: true, says: 'failed', advice: '' },
  model: { code: 'ModelBadRequest', retryable: false, says: 'does not have this model', advice: 'Check the name of the model.' },
  notFound: {
    code: 'ModelBadRequest',
    retryable: false,
    says: 'says "not found"',
    advice: 'Check the name of the model and the base URL.',
  },
  request: { code: 'ModelBadRequest', retryable: false, says: 'refused the request', advice: '' },
  page: {
    code: 'ModelUnknownError',
    retryable: false,
    says: 'answered with a page and not with data',
    advice: 'Check the base URL and the proxy.',
  },
  unknown: { code: 'ModelUnknownError', retryable: false, says: 'gave an answer that is no answer', advice: 'Check the base URL.' },
} as const satisfies { readonly [kind: string]: Kind }

interface Sign {
  readonly kind: ErrorKind
  /** Codes, types and reasons, without `_` and capitals. */
  readonly words?: RegExp
  readonly texts?: RegExp
}

/** What tells more than a status, in the order in which it is looked for: an empty account is no rate limit, whatever the status (B107). */
const telling: readonly Sign[] = [
  {
    kind: 'quota',
    words:
      /^(?:insufficient(?:quota|balance|credits?|funds)|(?:billing|hard)\w*(?:limit\w*|notactive|error|quota)|exceededcurrentquotaerror|quotaex(?:ceeded|hausted)|usagelimitreached|usagenotincluded|arrearage|paymentrequired\w*|1113|1008|\w*perday\w*)$/,
    texts: /reached your .{0,40}usage limit|usage limit (?:has been )?reached/i,
  },
  { kind: 'tooLarge', texts: /request too large\b.{0,300}\btokens per (?:min|minute|day|hour)/is },
  {
    kind: 'rate',
    words: /^(?:ratelimit\w*|toomanyrequests\w*|throttl\w*|resourceexhausted|requestlimitexceeded)$/,
    texts:
      /^rate limit$|too many (?:requests|tokens, please wait)|rate limit (?:reached|exceeded|hit)|exceed\w* .{0,60}rate limit|throttlingexception/is,
  },
  {
    kind: 'quota',
    texts:
      /exceeded your current quota|insufficient[_ ](?:quota|balance|credits?|funds)|credit balance is too low|out of credits|not enough credits|used all available credits|have any credits|included credits|spending (?:limit|cap)|billing (?:hard )?limit|余额不足|欠费/i,
  },
  {
    kind: 'output',
    words: /^(?:tooluse|jsonvalidate|outputparse)failed$/,
    texts:
      /failed to parse tool call arguments as json|error parsing tool call|failed to parse (?:the )?(?:model )?(?:output|input at pos)/i,
  },
  {
    kind: 'blocked',
    words:
      /^(?:contentfilter\w*|(?:image)?contentpolicy\w*|(?:cyber|bio)policy|responsibleaipolicyviolation|datainspectionfailed|moderation\w*|1301)$/,
    texts:
      /(?:input|prompt|request|content) (?:was|has been) flagged|content (?:management|filtering) policy|content exists risk|violates usage guidelines|inappropriate content/i,
  },
  {
    kind: 'auth',
    words:
      /^(?:invalidapikey|incorrectapikey|apikey(?:invalid|notfound|expired)|missingapikey|authenticationerror|unauthenticated|unauthorized\w*|invalidauthentication\w*|expiredtoken\w*|unrecognizedclient\w*|accountdeactivated)$/,
    texts:
      /(?:incorrect|invalid|missing|expired) (?:x-)?api[- _]?key|^login fail|api[- _]key (?:is )?(?:not valid|invalid|expired|missing)/i,
  },
  {
    kind: 'forbidden',
    words: /^(?:permission(?:denied|error)|accessdenied\w*|forbidden)$/,
    texts: /organization has been disabled/i,
  },
  { kind: 'timeout', words: /^(?:request|gateway|model)?timeout\w*$|^deadlineexceeded$/ },
  {
    kind: 'model',
    words: /^(?:model(?:notfound|decommissioned|notavailable)|invalidmodel|unknownmodel)$/,
    texts: /^(?:invalid model|unknown model|model\s+not (?:found|exist))|is not a valid model id/i,
  },
  { kind: 'request', texts: /requires --jinja/i }, // llama.cpp answers 500, and always will
]

/** What the status says. */
const statuses: { readonly [status: number]: ErrorKind } = {
  401: 'auth',
  402: 'quota',
  403: 'forbidden',
  404: 'notFound',
  408: 'server',
  409: 'server',
  424: 'server', // Bedrock and text-generation-inference: the model broke off
  425: 'server',
  429: 'rate',
  498: 'server', // Groq: no room in the tier just now
  499: 'server', // in a body: somebody on the way gave up, and it was not us
  501: 'request',
  505: 'request',
}

/** What refuses a request where no status is told. All else in a stream that had begun well is worth another attempt. */
const refusals: readonly Sign[] = [
  { kind: 'notFound', words: /notfound/ },
  {
    kind: 'request',
    words:
      /^(?:invalid|unsupported|missing|badrequest|failedprecondition|unprocessable|outofrange|unimplemented|validation|imagetoo|imageparse|imagefile|emptyimage)\w*$/,
  },
]

/** What an error is, by `status`: that of the response, or the one inside when the response began well. */
export function classify(facts: ErrorFacts, status: number | undefined): { readonly kind: ErrorKind; readonly overflow?: Overflow } {
  const told = toldIn(facts, status)
  // The wording of a rate limit is checked before that of an overflow: both speak of tokens (B115).
  if (told === 'quota' || told === 'rate' || told === 'tooLarge') return { kind: told }
  const overflow = overflowIn(facts, status)
  if (overflow !== undefined) return { kind: overflow.cutByServer === true ? 'cutAway' : 'overflow', overflow }
  if (told !== undefined) return { kind: told }
  if (status !== undefined) return { kind: statuses[status] ?? (status >= 500 ? 'server' : 'request') }
  return { kind: signIn(refusals, facts) ?? 'server' }
}

function toldIn(facts: ErrorFacts, status: number | undefined): ErrorKind | undefined {
  const told = signIn(telling, facts)
  return (told === 'rate' || (told === undefined && status === 429)) && isOverAlone(facts.plain) ? 'tooLarge' : told
}

function signIn(signs: readonly Sign[], { words, plain }: ErrorFacts): ErrorKind | undefined {
  const all = [...words.keys()]
  return signs.find((sign) => all.some((word) => sign.words?.test(word)) || sign.texts?.test(plain))?.kind
}

/** `Limit 30000, Requested 45012`: no waiting makes room for it. */
function isOverAlone(text: string): boolean {
  const numbers = /limit:? (?<limit>\d[\d,]*).{0,60}?requested:? (?<asked>\d[\d,]*)/is.exec(text)?.groups
  return numbers !== undefined && numberOf(numbers['asked']) > numberOf(numbers['limit'])
}

function numberOf(digits = ''): number {
  return Number(digits.replaceAll(',', ''))
}
