/** What the always-suspend mode leaves out, and why. The list is printed at the end of each such run. */
export interface Exempt {
  /** A file or a folder, from the root of the repository. */
  readonly path: string
  /** The full title of one test (`suite > test`); absent: all of them. */
  readonly test?: string
  readonly reason: string
}

export const exempt: readonly Exempt[] = [
  { path: 'test/house', reason: 'checks sources and packages; drives no session' },
  { path: 'test/cli/completion', reason: 'asks the tree of commands, in shells; drives no session' },
  { path: 'test/cli/process.test.ts', reason: 'the built command in processes of its own, which this mode does not reach' },
  { path: 'test/core', reason: 'pure functions; no engine that could be torn down' },
  { path: 'test/engine/clock-jumps.test.ts', reason: 'what is measured within one activation; this mode begins a new one each time' },
  { path: 'test/engine/lease.test.ts', reason: 'the lease of one activation; this mode takes a new one each time' },
  {
    path: 'test/engine/silent-store.test.ts',
    test: 'decision 0010: a store that never answers an append of a run > nor the release after it: nobody waits for that',
    reason: 'a release at each reload',
  },
  {
    path: 'test/engine/silent-store.test.ts',
    test: 'decision 0010: a store that never answers an append of a run > a long wait for a tool is no silence: after another failure what the store holds is waited for as long as it takes',
    reason: 'a load at each reload',
  },
  {
    path: 'test/engine/silent-store.test.ts',
    test: 'decision 0010: a store that never answers an append of a run > best-effort: it is given up after that time, and the run goes on, as long as it takes',
    reason: 'a reload forgets what only memory knows',
  },
  {
    path: 'test/engine/ends.test.ts',
    test: 'machine 3: the end of a run is told when its lease has been given back > a run that waits follows at once, and so does the end before it',
    reason: 'a release at each reload',
  },
  {
    path: 'test/engine/ends.test.ts',
    test: 'machine 3: the end of a run is told when its lease has been given back > an end that is found when the session is taken over is told when it has been given back again',
    reason: 'a session that is free at each reload',
  },
  {
    path: 'test/agent/text-readers.test.ts',
    test: 'decision 0013: readers of the text beside readers of the events > one that comes when the run is over hides nothing of what the handle holds',
    reason: 'a reload forgets what only memory knows',
  },
  {
    path: 'test/engine/slow-setups.test.ts',
    test: 'decision 0010: instructions that never come > a message that comes while the wrap-up asks for them does not begin it all anew',
    reason: 'what is waited for begins anew with each activation',
  },
  {
    path: 'test/engine/slow-setups.test.ts',
    test: 'decision 0010: instructions that never come > a pause is no waiting: they are asked for anew',
    reason: 'what is waited for begins anew with each activation',
  },
  {
    path: 'test/engine/slow-setups.test.ts',
    test: 'decision 0010: instructions that never come > of a run that begins in the moment in which another ends',
    reason: 'what is waited for begins anew with each activation',
  },
  {
    path: 'test/engine/what-goes-on.test.ts',
    test: 'a pause and the end of a time slice begin nothing; what has begun is awaited > the end of a time slice: the activation waits for it, then parks',
    reason: 'this mode goes on by itself after the end of a time slice',
  },
  {
    path: 'test/engine/what-goes-on.test.ts',
    test: 'whoever is told to stop is told why > a tool in the background, by the end of its run',
    reason: 'a reload waits for what goes on in the background, here for ever',
  },
  ...['bad-orders', 'killed', 'race', 'stopped'].map((name) => ({
    path: `test/processes/${name}.test.ts`,
    reason: 'its sessions are driven by processes of their own, which this mode does not reach',
  })),
  { path: 'test/cli/demo.test.ts', reason: 'processes of the built package; their engines know nothing of this mode' },
  { path: 'test/terminal', reason: 'processes of the built package; their engines know nothing of this mode' },
  { path: 'test/tour', reason: 'as test/terminal' },
  { path: 'test/json-schema', reason: 'validator and converter; no engine' },
  { path: 'test/models', reason: 'model adapters alone; no engine' },
  { path: 'test/stores', reason: 'stores alone; no engine' },
  { path: 'test/testing', reason: 'the test tools alone; no engine' },
  { path: 'test/tools', reason: 'tools alone; no engine' },
  { path: 'test/wire', reason: 'model adapters alone; no engine' },
]
