#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { rondo } from './program.ts'
import { processTerminal } from './terminal.ts'
import { oneLine } from './text.ts'

try {
  process.cwd()
} catch {
  process.stderr.write('rondo: The folder that you stand in is gone. Change to another one.\n')
  process.exit(2)
}
const terminal = processTerminal()

/** A defect of ours: one line, and the stack for whoever asks for it. */
function crash(error: unknown): void {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  terminal.stderr.write(`rondo: internal error: ${oneLine(reason)}\n`)
  if ((process.env['RONDO_DEBUG'] ?? '') === '') terminal.stderr.write('Set RONDO_DEBUG=1 to see where, and please report it.\n')
  else terminal.stderr.write(`${error instanceof Error ? error.stack : ''}\n`)
  process.exit(1)
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
}

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
const exitCode = await rondo(process.argv.slice(2), version(), terminal)
const isWritten = await terminal.flushed()
// A tool that ignores its abort must not keep the process alive.
process.exit(exitCode === 0 && !isWritten ? 1 : exitCode)
