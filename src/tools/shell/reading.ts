import { tableName } from './starters.ts'

/** Whether a command runs, or makes another name mean, what does not stand in its words: it reads commands from what is fed to it, or from a file. */
export function isReadingCommands(words: readonly string[]): boolean {
  const [name = '', ...args] = words
  const operands = args.filter((arg) => !arg.startsWith('-')).length
  const hasOption = (option: RegExp) => args.some((arg) => option.test(arg))
  switch (tableName(name)) {
    case 'source':
    case '.':
    case 'alias':
    case 'enable':
    case 'bind':
    case 'at':
    case 'batch':
    case 'crontab':
      return true
    case 'hash':
      return hasOption(/^-\w*p/)
    case 'su':
    case 'runuser':
      return !hasOption(/^-\w*c|^--(?:command|session-command)/)
    case 'sudo':
    case 'doas':
      return hasOption(/^-\w*[si]|^--(?:shell|login)$/)
    case 'ssh':
    case 'chroot':
    case 'script':
    case 'unshare':
    case 'nsenter':
      return operands <= 1
    default:
      return shells.test(tableName(name)) && readsStandardInput(args)
  }
}

const shells = /^(?:sh|bash|dash|ash|zsh|ksh|mksh|fish|csh|tcsh)$/

/** A shell that is given neither `-c` nor a script, or one that is no file of its own. */
function readsStandardInput(args: readonly string[]): boolean {
  let at = 0
  for (; /^[-+]./.test(args[at] ?? ''); at++) {
    const option = args[at] ?? ''
    if (option === '--') {
      at++
      break
    }
    if (/^-\w*c/.test(option)) return false
    if (/^-\w*s/.test(option)) return true
    if (/^[-+]\w*[oO]$|^--(?:rcfile|init-file)$/.test(option)) at++
  }
  const script = args[at] ?? '-'
  return script === '-' || /^\/(?:dev|proc)\//.test(script)
}
