import { type Tools, tool } from '../../src/index.ts'
import { noInput, plainTool } from '../acceptance/kit.ts'

/** Tools of which one is dangerous; what ran. */
export function dangerous() {
  const ran: string[] = []
  const work = tool({ name: 'work', description: 'Works', inputSchema: noInput, needsApproval: true, execute: () => void ran.push('work') })
  return { ran, tools: [work, plainTool('danger', () => void ran.push('danger'))] as Tools }
}
