/**
 * The name of a tool as nearly every API takes it: at most 64 letters, digits, `_` and `-`. Tools of ours are named so; a name that a model
 * made up may hold anything, and stands in the history all the same.
 */
export function legalName(name: string): string {
  return legal.test(name) ? name : name.replace(/[^\w-]/g, '_').slice(0, 64) || '_'
}

const legal = /^[\w-]{1,64}$/
