/**
 * Exact arithmetic on what a user typed: `+ - * / % ^` and parentheses, percentages (`17% of 80`), thousands separators. Values
 * are fractions of whole numbers, so that 0.1 + 0.2 is 0.3 and 2^100 has all its digits. Never `eval`.
 */
export type Calculation =
  | { readonly ok: true; readonly expression: string; readonly text: string }
  | { readonly ok: false; readonly problem: string }

interface Fraction {
  readonly over: bigint
  /** Always positive. */
  readonly under: bigint
}

/** Thrown inside this file only, for what has no value. */
class NoValue extends Error {}

/** Limits, so that no input can keep the process busy. */
const maxTokens = 500
const maxDepth = 50
const maxExponent = 1_000n
const maxDigits = 2_000

export function calculate(words: string): Calculation {
  const expression = toExpression(words)
  try {
    const value = evaluate(expression)
    return { ok: true, expression, text: show(value) }
  } catch (error) {
    if (!(error instanceof NoValue)) throw error
    return { ok: false, problem: error.message }
  }
}

/** Whether the words are arithmetic and nothing else: at least one number and one operator. */
export function isArithmetic(words: string): boolean {
  const expression = toExpression(words)
  return /^[\d.\s+\-*/%^()]+$/.test(expression) && /\d/.test(expression) && /[+\-*/%^]/.test(expression.replace(/^\s*-/, ''))
}

function toExpression(words: string): string {
  return words
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/\*\*/g, '^')
    .replace(/[×·]|(?<=[\d)]\s*)x(?=\s*[\d(])|\b(?:times|multiplied by)\b/g, '*')
    .replace(/÷|\b(?:divided by|over)\b/g, '/')
    .replace(/[−–]|\bminus\b/g, '-')
    .replace(/\bplus\b/g, '+')
    .replace(/\b(?:modulo|mod)\b/g, ' % ')
    .replace(/\b(?:to the power of|to the power)\b/g, '^')
    .replace(/\bsquared\b/g, '^2')
    .replace(/\bcubed\b/g, '^3')
    .replace(/\s*(?:%|\bpercent\b)\s*of\b/g, '% *')
    .replace(/\bpercent\b/g, '%')
    .replace(/\s+/g, ' ')
    .trim()
}

interface Reader {
  readonly tokens: readonly string[]
  at: number
  depth: number
}

function evaluate(expression: string): Fraction {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[^\s]/g) ?? []
  if (tokens.length > maxTokens) throw new NoValue(`it is longer than ${maxTokens} numbers and signs`)
  const reader: Reader = { tokens, at: 0, depth: 0 }
  const value = readSum(reader)
  const rest = tokens[reader.at]
  if (rest !== undefined) throw new NoValue(`I can't read it from '${rest}' on`)
  return value
}

function readSum(reader: Reader): Fraction {
  let value = readProduct(reader)
  for (;;) {
    const sign = reader.tokens[reader.at]
    if (sign !== '+' && sign !== '-') return value
    reader.at++
    const right = readProduct(reader)
    const over = sign === '+' ? value.over * right.under + right.over * value.under : value.over * right.under - right.over * value.under
    value = fraction(over, value.under * right.under)
  }
}

function readProduct(reader: Reader): Fraction {
  let value = readSigned(reader)
  for (;;) {
    const sign = reader.tokens[reader.at]
    if (sign !== '*' && sign !== '/' && sign !== '%') return value
    reader.at++
    const right = readSigned(reader)
    if (sign === '*') value = fraction(value.over * right.over, value.under * right.under)
    else if (right.over === 0n) throw new NoValue('it is a division by zero, which has no value')
    else if (sign === '/') value = fraction(value.over * right.under, value.under * right.over)
    else value = remainder(value, right)
  }
}

function readSigned(reader: Reader): Fraction {
  const sign = reader.tokens[reader.at]
  if (sign !== '-' && sign !== '+') return readPower(reader)
  reader.at++
  const value = deeper(reader, readSigned)
  return sign === '-' ? { over: -value.over, under: value.under } : value
}

/** `^` binds to the right and before a sign: -2^2 is -4, 2^3^2 is 512. */
function readPower(reader: Reader): Fraction {
  const base = readPercentage(reader)
  if (reader.tokens[reader.at] !== '^') return base
  reader.at++
  return power(base, deeper(reader, readSigned))
}

/** A `%` that no operand follows is a percentage; otherwise it is the remainder. */
function readPercentage(reader: Reader): Fraction {
  const value = readOperand(reader)
  if (reader.tokens[reader.at] !== '%' || /^[\d.(]/.test(reader.tokens[reader.at + 1] ?? '')) return value
  reader.at++
  return fraction(value.over, value.under * 100n)
}

function readOperand(reader: Reader): Fraction {
  const token = reader.tokens[reader.at]
  if (token === undefined) throw new NoValue('it ends where a number should follow')
  reader.at++
  if (token === '(') {
    const value = deeper(reader, readSum)
    if (reader.tokens[reader.at] !== ')') throw new NoValue("a closing ')' is missing")
    reader.at++
    return value
  }
  if (!/\d/.test(token)) throw new NoValue(`'${token}' stands where a number should be`)
  const [whole = '', decimals = ''] = token.split('.')
  return fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length))
}

function deeper(reader: Reader, read: (reader: Reader) => Fraction): Fraction {
  if (++reader.depth > maxDepth) throw new NoValue(`it nests deeper than ${maxDepth} levels`)
  const value = read(reader)
  reader.depth--
  return value
}

function fraction(over: bigint, under: bigint): Fraction {
  const divisor = greatestCommonDivisor(over < 0n ? -over : over, under < 0n ? -under : under)
  const sign = under < 0n ? -1n : 1n
  const value = { over: (sign * over) / divisor, under: (sign * under) / divisor }
  if (value.over.toString().length + value.under.toString().length > maxDigits) throw new NoValue(`it has more than ${maxDigits} digits`)
  return value
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

/** With the sign of the left side, as in JavaScript and C. */
function remainder(left: Fraction, right: Fraction): Fraction {
  const under = left.under * right.under
  return fraction((left.over * right.under) % (right.over * left.under), under)
}

function power(base: Fraction, exponent: Fraction): Fraction {
  if (exponent.under !== 1n) throw new NoValue('it raises to a power that is no whole number, which I do not do')
  if (exponent.over > maxExponent || exponent.over < -maxExponent) throw new NoValue(`it raises to a power beyond ${maxExponent}`)
  const longest = Math.max(base.over.toString().length, base.under.toString().length)
  if (longest * Math.abs(Number(exponent.over)) > 2 * maxDigits) throw new NoValue(`it has more than ${maxDigits} digits`)
  if (exponent.over >= 0n) return fraction(base.over ** exponent.over, base.under ** exponent.over)
  if (base.over === 0n) throw new NoValue('it is a division by zero, which has no value')
  return fraction(base.under ** -exponent.over, base.over ** -exponent.over)
}

/** A finite decimal is written in full; another fraction to 12 decimals, marked as rounded, with the exact fraction when it is short. */
function show(value: Fraction): string {
  if (value.under === 1n) return value.over.toString()
  const places = decimalPlaces(value.under)
  if (places !== undefined && places <= 30) return decimal(value, places)
  const exact = `${value.over}/${value.under}`
  return `${decimal(value, 12)} (rounded${exact.length <= 40 ? `; exactly ${exact}` : ''})`
}

function decimalPlaces(under: bigint): number | undefined {
  let twos = 0
  let fives = 0
  for (; under % 2n === 0n; under /= 2n) twos++
  for (; under % 5n === 0n; under /= 5n) fives++
  return under === 1n ? Math.max(twos, fives) : undefined
}

function decimal(value: Fraction, places: number): string {
  const size = value.over < 0n ? -value.over : value.over
  const scaled = (size * 10n ** BigInt(places) * 2n + value.under) / (value.under * 2n)
  const digits = scaled.toString().padStart(places + 1, '0')
  const decimals = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return `${value.over < 0n && scaled > 0n ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`
}
