export * from './flaky-store.ts'
export { type Script, type ScriptedCall, type ScriptedModel, type ScriptedReply, scripted } from './scripted.ts'
export * from './store-conformance.ts'
export { seededRandom, VirtualClock, type VirtualWorld, virtualWorld } from './virtual-world.ts'
