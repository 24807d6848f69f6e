import { describe, expect, test } from 'vitest'
import { ThinkSplitter, type ThinkStart } from '../../src/models/think.ts'

function split(start: ThinkStart, ...pieces: readonly string[]): { readonly reasoning: string; readonly text: string } {
  const said = { reasoning: '', text: '' }
  const splitter = new ThinkSplitter(start, (type, text) => {
    expect(text).not.toBe('')
    said[type] += text
  })
  for (const piece of pieces) splitter.push(piece)
  splitter.end()
  return said
}

describe('B075 reasoning between tags, wherever the pieces are cut', () => {
  test.each<[rule: string, start: ThinkStart, whole: string, reasoning: string, text: string]>([
    ['at the start', 'tagged', '<think>a</think>b', 'a', 'b'],
    ['behind blanks, and blanks behind it', 'tagged', ' \n<think>\na</think>\n\nb c', '\na', 'b c'],
    ['blanks before the closing tag are as they came', 'tagged', '<think>a \n</think>b', 'a \n', 'b'],
    ['nothing behind it', 'tagged', '<think>a</think>\n', 'a', ''],
    ['never closed', 'tagged', '<think>a < b </thin', 'a < b </thin', ''],
    ['a closing tag alone is text', 'tagged', 'a</think>b', '', 'a</think>b'],
    ['in the middle is text', 'tagged', 'Use <think>a</think>.', '', 'Use <think>a</think>.'],
    ['a second one is text', 'tagged', '<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
    ['what only begins as a tag', 'tagged', '<thin', '', '<thin'],
    ['another tag', 'tagged', '<thing>a', '', '<thing>a'],
    ['less than', 'tagged', 'a < b', '', 'a < b'],
    ['starts inside', 'inside', 'a</think>b', 'a', 'b'],
    ['starts inside and never closes: the text is told, so that no answer is lost', 'inside', 'a < b', 'a < b', 'a < b'],
  ])('%s', (_rule, start, whole, reasoning, text) => {
    expect(split(start, whole)).toEqual({ reasoning, text })
    expect(split(start, ...whole)).toEqual({ reasoning, text })
    for (let cut = 1; cut < whole.length; cut++) expect(split(start, whole.slice(0, cut), whole.slice(cut))).toEqual({ reasoning, text })
  })
})
