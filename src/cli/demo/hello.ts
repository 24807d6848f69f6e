/** `examples/hello.ts`, word for word (a test compares them): whoever runs the command need not have the examples. */
export const hello = [
  "import { Agent } from 'rondo'",
  "import { offline } from 'rondo/offline'",
  "import { readTools } from 'rondo/tools'",
  '',
  "const tools = readTools({ root: '.' })",
  'const agent = new Agent({ model: offline(), tools })',
  "const run = agent.stream('What are the three largest files?')",
  'for await (const event of run) {',
  "  if (event.type === 'call.settled') console.log(event.toolName, event.outcome)",
  "  if (event.type === 'text.delta') process.stdout.write(event.text)",
  '}',
  `console.log(\`\\n\${(await run.result).reason}\`)`,
]
