import { expect, test } from 'vitest'
import { markdownReader } from '../../../src/tools/fetch/html.ts'
import { failure, fetchUrl, page, serve, world } from './world.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }

const article = `<!doctype html><html><head><title> Tides &amp; lights </title><style>p{}</style><script>alert(1)</script></head><body>
<nav><a href="/n">Menu</a></nav><main><h1>Tides</h1><p>High at <b>noon</b>, see <a href="../moon?x=1">the moon</a>, <a href="javascript:x()">no</a>.</p>
<pre><code class="language-js">let a = 1 &lt; 2</code></pre><table><tr><th>h</th><th>m</th></tr><tr><td>12</td><td>4.1</td></tr></table>
<ul><li>one<ul><li>two</li></ul></li></ul></main><footer>Imprint</footer></body></html>`

const readable = `# Tides

High at **noon**, see [the moon](http://site.test/moon?x=1), no.

\`\`\`js
let a = 1 < 2
\`\`\`

| h | m |
| --- | --- |
| 12 | 4.1 |

- one
  - two`

test('a page becomes Markdown of its main part, with title and whole links', async () => {
  const port = await serve((_request, response) => response.writeHead(200, html).end(article))
  expect(await fetchUrl(world(port), { url: 'http://site.test/a/b' })).toEqual({
    url: 'http://site.test/a/b',
    status: 200,
    type: 'text/html',
    title: 'Tides & lights',
    text: readable,
    totalChars: readable.length,
    truncated: false,
  })
})

test('without a main part, or with an empty one, all but navigation is shown', async () => {
  expect(await page('<nav>Menu</nav><p>before</p><h1>Head</h1><footer>Foot</footer>', html)).toMatchObject({ text: 'before\n\n# Head' })
  expect(await page('<main></main><p>all</p>', html)).toMatchObject({ text: 'all' })
  expect(await page('', html)).toMatchObject({ text: '', truncated: false })
})

test('raw, or html source, shows the source; html may be a function', async () => {
  expect(await page(article, html, { raw: true })).toMatchObject({ text: article })
  expect(await page(article, html, {}, { html: 'source' })).toMatchObject({ text: article })
  const own = await page('<p>x', html, {}, { html: async ({ html, url }) => ({ text: `${url} ${html}`, title: 'own' }) })
  expect(own).toMatchObject({ text: 'http://site.test/ <p>x', title: 'own' })
  expect(await failure(page('<p>x', html, {}, { html: () => Promise.reject(new Error('not mine')) }))).toBe('not mine')
})

test('where the server names no type, what looks like a page is one', async () => {
  expect(await page('<!DOCTYPE html><p>Hi <b>you</b>', {})).toMatchObject({ text: 'Hi **you**' })
  expect(await page('<p>Hi <b>you</b>', { 'content-type': 'text/plain' })).toMatchObject({ text: '<p>Hi <b>you</b>' })
})

/** Pages that take other readers minutes, or all memory. */
const hostile: readonly (readonly [string, string])[] = [
  ['deep <div>', '<div>'.repeat(1_000_000)],
  ['deep <b>', '<b>'.repeat(1_600_000)],
  ['deep tables', '<table><tr><td>'.repeat(330_000)],
  ['deep lists', '<ul><li>x'.repeat(550_000)],
  ['deep quotes', `${'<blockquote>'.repeat(3_000)}${'<p>x</p>'.repeat(600_000)}`],
  ['tags that do not end', '<a '.repeat(1_600_000)],
  ['attributes', `<a ${'x=1 '.repeat(1_250_000)}>`],
  ['closing tags', '</p>'.repeat(1_250_000)],
  ['entities', '&'.repeat(5_000_000)],
  ['<', '<'.repeat(5_000_000)],
]

test.each(hostile)('hostile HTML (%s) is done in its time, and this thread goes on', async (_name, body) => {
  let longest = 0
  let last = performance.now()
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 5)
  const started = performance.now()
  try {
    const result = await failure(page(body, html, {}, { limits: { htmlMs: 700, totalMs: 20_000 } }))
    expect(result).toMatch(/^(?:no error|The HTML of the page can't be made readable: )/)
    expect(performance.now() - started).toBeLessThan(15_000)
    expect(longest).toBeLessThan(3_000)
  } finally {
    clearInterval(beat)
  }
})

test('the limits of time and of the signal end the thread', async () => {
  const slow = { html: `${'<blockquote>'.repeat(3_000)}${'<p>x</p>'.repeat(600_000)}`, url: 'http://site.test/' }
  const { signal } = new AbortController()
  expect(await failure(Promise.resolve(markdownReader(50)({ ...slow, signal })))).toBe(
    "The HTML of the page can't be made readable: it takes more than 50 ms. Use raw to see its source, or another URL.",
  )
  const stopped = AbortSignal.timeout(50)
  const started = performance.now()
  expect(await failure(Promise.resolve(markdownReader(60_000)({ ...slow, signal: stopped })))).toMatch(/timeout/)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('without the package the error says what to install', () => {
  const missing = () => {
    throw new Error('Cannot find module')
  }
  expect(() => markdownReader(1, missing)).toThrow(
    "fetchTool() needs the package @mdream/js to read HTML: npm install @mdream/js@1, or give fetchTool({ html }) 'source' or a function of your own",
  )
})
