import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { RondoError } from '../../core/error.ts'
import { problem } from '../files/problem.ts'

/** A page as it came, in the words of the web: source, its address for links, and when to stop. */
export interface HtmlPage {
  readonly html: string
  /** Where it was found, after redirects. */
  readonly url: string
  readonly signal: AbortSignal
}

export interface ReadablePage {
  readonly text: string
  readonly title?: string
}

/** Makes a page readable. What it throws becomes an error that the model reads (the message only). */
export type HtmlReader = (page: HtmlPage) => ReadablePage | Promise<ReadablePage>

const library = '@mdream/js'
/** A page of 5 MB takes about 100 MB. */
const memoryMb = 512

/**
 * Markdown by the optional peer `@mdream/js`, in a thread of its own: whatever is done to its parser (pages exist that would take minutes), this
 * thread goes on, and the limits of time and memory hold. Throws `ConfigInvalid` if the package is missing.
 */
export function markdownReader(htmlMs: number, resolve: (name: string) => string = createRequire(import.meta.url).resolve): HtmlReader {
  let path: string
  try {
    path = resolve(library)
  } catch (cause) {
    const ways = `npm install ${library}@1, or give fetchTool({ html }) 'source' or a function of your own`
    throw new RondoError('ConfigInvalid', `fetchTool() needs the package ${library} to read HTML: ${ways}`, { cause })
  }
  return (page) => inThread({ library: pathToFileURL(path).href, html: page.html, url: page.url }, htmlMs, page.signal)
}

function inThread(workerData: object, ms: number, signal: AbortSignal): Promise<ReadablePage> {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const worker = new Worker(script, { eval: true, workerData, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop: (() => void) | undefined
  const done = new Promise<ReadablePage>((resolve, reject) => {
    const unreadable = (why: string, cause?: unknown) =>
      reject(problem(`The HTML of the page can't be made readable: ${why}. Use raw to see its source, or another URL.`, cause))
    timer = setTimeout(() => unreadable(`it takes more than ${ms.toLocaleString('en-US')} ms`), ms)
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    worker.once('message', (page: ReadablePage) => resolve(page))
    worker.once('error', (error) => unreadable('it is too large or nested too deeply', error))
    worker.once('exit', () => unreadable('its reader stopped'))
    if (signal.aborted) stop()
  })
  return done.finally(() => {
    clearTimeout(timer)
    if (stop !== undefined) signal.removeEventListener('abort', stop)
    void worker.terminate()
  })
}

/** A text, because a thread begins with a file, and which file this code is in depends on how it was packed. */
const script = `
const { parentPort, workerData } = require('node:worker_threads')
import(workerData.library).then(({ htmlToMarkdown }) => {
  const { html, url } = workerData
  let title
  const found = ({ textContent }) => (title ??= textContent)
  htmlToMarkdown(html.slice(0, 65536), { plugins: { extraction: { title: found } } })
  const exclude = ['title', 'script', 'style', 'template', 'noscript', 'nav', 'footer', 'aside', 'form', 'button', 'svg', 'iframe', 'dialog']
  const clean = { emptyLinks: true, emptyLinkText: true, emptyImages: true, blankLines: true, selfLinkHeadings: true }
  const read = (isolateMain) => htmlToMarkdown(html, { origin: url, clean, plugins: { isolateMain, filter: { exclude } } }).trim()
  const main = /<main[\\s>]/i.test(html) ? read(true) : ''
  parentPort.postMessage({ text: main === '' ? read(false) : main, title: title?.trim().slice(0, 300) || undefined })
})
`
