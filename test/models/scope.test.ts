import { expect, test } from 'vitest'
import { scopeOf } from '../../src/models/scope.ts'

test('snapshots of one model are one family, models are not', () => {
  const family = (model: string) => scopeOf('p', 'a', model).slice('p/a/'.length)
  const families = {
    'gpt-5-2025-08-07': 'gpt-5',
    'gpt-5.1': 'gpt-5.1',
    'claude-sonnet-4-5-20250929': 'claude-sonnet-4-5',
    'claude-sonnet-4-5@20250929': 'claude-sonnet-4-5',
    'anthropic.claude-sonnet-4-20250514-v1:0': 'anthropic.claude-sonnet-4',
    'claude-3-5-sonnet-latest': 'claude-3-5-sonnet',
    'gemini-2.5-flash-preview-09-2025': 'gemini-2.5-flash',
    'models/gemini-3-pro-preview': 'gemini-3-pro',
    'publishers/google/models/gemini-2.0-flash-001': 'gemini-2.0-flash',
    'deepseek-r1:8b': 'deepseek-r1:8b',
    'GPT-4-0613': 'gpt-4',
    '-latest': '-latest',
  }
  for (const [model, expected] of Object.entries(families)) expect(family(model)).toBe(expected)
})
