import type { Command } from 'commander'
import type { ChatFlags } from '../chat/settings.ts'
import type { Terminal } from '../terminal.ts'
import { addToolFlags, baseUrlFlag, configFlags, dollars, type End, modelFlag, wholeNumber } from './shared.ts'

const chatExamples = `
What you say while the agent works reaches it before its next step. You are asked
before it writes, runs a command or fetches a page: y yes, n no (and why), e edit,
a always in this session. /help in the chat lists its commands and keys.

Without a terminal each line of standard input is said, one after another.

Examples:
  rondo chat
  rondo chat "what is in this folder?"
  rondo chat --resume
  rondo chat --resume s_054db6c3c2416ab6a10d1
  rondo chat --tools read --model ollama:qwen3
  printf 'list the files\\nwhich is the largest?\\n' | rondo chat

Exit codes:
  0  left                            1  the last run failed
  2  it could not begin              3  the last run met a limit
  4  the last run waits              130  aborted`

export function addChat(program: Command, terminal: Terminal, end: End): void {
  const chat = program
    .command('chat')
    .summary('talk with the agent')
    .description('A conversation with the agent: it can be steered while it works, and asks before it changes anything.')
    .argument('[task...]', 'what to say first')
    .option(...modelFlag)
    .option(...baseUrlFlag)
    .option('--cwd <dir>', 'the folder to work in (default: the current one)')
    .option('--session <id>', 'go on with this session; an unknown id begins one')
    .option('-r, --resume [id]', 'go on with this session (default: the newest one of the folder)')
    .option('--max-iterations <n>', 'stop a run after so many model calls (default: 50)', wholeNumber(1, 1_000_000))
    .option('--max-cost <usd>', 'stop a run when it has cost so much (USD), where costs are known', dollars)
    .option(...configFlags[0])
    .option(...configFlags[1])
    .addHelpText('after', chatExamples)
    .action(async (words: readonly string[], flags: ChatFlags) => {
      // What a help or a tab needs not is not loaded.
      const { chatCommand } = await import('../chat/chat-command.ts')
      end(await chatCommand(words, flags, terminal))
    })
  addToolFlags(chat)
}
