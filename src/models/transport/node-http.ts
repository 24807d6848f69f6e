/**
 * Node's HTTP modules, each loaded when the first request needs it. Not by `import`: that asks for all that a module exports, and so loads
 * Node's `fetch` with it, which is half of what a cold start takes (45 ms).
 */
export const plainHttp = () => process.getBuiltinModule('node:http')

export const tlsHttp = () => process.getBuiltinModule('node:https')
