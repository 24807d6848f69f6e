export * from './flaky-store.ts'
export { type Script, type ScriptedCall, type ScriptedModel, type ScriptedReply, scripted } from './scripted.ts'
export * from './store-conformance.ts'
