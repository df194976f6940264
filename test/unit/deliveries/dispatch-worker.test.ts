import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Committed } from '../../../src/relay/database/journal/journal';
import { DispatchWorker } from '../../../src/relay/deliveries/queue/dispatch.worker';
import type { LeaderMessage, Ownership } from '../../../src/relay/ground/daemons';
import { FixedClock } from '../../support/clock';
import { onlyDaemon } from '../../support/only-daemon';
import { QUEUE_TOOLS, TARGET } from '../../support/queue-tools';

const settle = async () => {
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
};

/** A dispatcher with one target. @returns it, what publishes a commit, and that of an event for the target */
function startDispatcher({
  daemons = onlyDaemon as object,
  journal = {} as object,
  clock = new FixedClock(0),
  settled = async () => undefined as void,
}) {
  const listeners: ((committed: Committed) => void)[] = [];
  const { guard, sending, breakers, bounds } = QUEUE_TOOLS;
  const tools = {
    targets: { onChange: () => undefined, all: () => [TARGET], byNumber: () => TARGET, settled },
    daemons,
    journal: {
      onCommit: (listener: (typeof listeners)[number]) => listeners.push(listener),
      takeDue: async () => [],
      findDue: async () => [],
      // Its attempts do not end.
      readEvent: () => new Promise(() => undefined),
      ...journal,
    },
    guard,
    sending,
    breakers,
    clock,
    bounds,
    random: {},
    tracer: {},
    publicAddress: {},
    log: { error: () => undefined },
  };
  const parts = Object.values(tools) as unknown as ConstructorParameters<typeof DispatchWorker>;
  const dispatcher = new DispatchWorker(...parts);
  const commit = (committed: object) =>
    listeners[0]!({
      events: [],
      scheduled: [],
      results: [],
      promoted: [],
      ended: [],
      ...committed,
    } as unknown as Committed);
  const store = (seq: number, wasRead?: true) =>
    commit({ events: [{ seq, draft: { receivedAt: 0 }, planned: [{ target: 1, lane: null }], wasRead }] });
  dispatcher.onListening();
  return { dispatcher, commit, store };
}

it('a delivery of an event that was read some time after its commit is looked for, since it may have been sent', async () => {
  let reads = 0;
  const { dispatcher, store } = startDispatcher({ journal: { takeDue: async () => ((reads += 1), []) } });
  await settle();
  const before = reads;

  store(1, true);
  expect(dispatcher.keysInFlight()).toEqual([]);
  expect(reads).toBe(before + 1);
  await settle();
  store(2);
  expect(dispatcher.keysInFlight()).toEqual([{ seq: 2, target: 1, n: 0 }]);
});

it('what another daemon has stored for a target is looked for at once', async () => {
  let reads = 0;
  const listeners: ((targets: number[]) => void)[] = [];
  startDispatcher({
    daemons: Object.assign(Object.create(onlyDaemon) as object, {
      onStoredElsewhere: (listener: (targets: number[]) => void) => listeners.push(listener),
    }),
    journal: { takeDue: async () => ((reads += 1), []) },
  });
  await settle();
  const before = reads;
  listeners[0]!([TARGET.number + 1]);
  await settle();
  expect(reads).toBe(before);
  listeners[0]!([TARGET.number]);
  await settle();
  expect(reads).toBe(before + 1);
});

it('nothing is looked for until the changes of targets that the leader has announced are loaded', async () => {
  let reads = 0;
  const loads: (() => void)[] = [];
  const listeners: ((targets: number[]) => void)[] = [];
  const { dispatcher } = startDispatcher({
    daemons: Object.assign(Object.create(onlyDaemon) as object, {
      onStoredElsewhere: (listener: (targets: number[]) => void) => listeners.push(listener),
    }),
    journal: { takeDue: async () => ((reads += 1), []), findDue: async () => [TARGET.number] },
    settled: () => new Promise<void>((resolve) => loads.push(resolve)),
  });
  await settle();
  for (const look of [() => listeners[0]!([TARGET.number]), () => dispatcher.tick()]) {
    const before = reads;
    look();
    await settle();
    expect(reads).toBe(before);
    loads.pop()!();
    await settle();
    expect(reads).toBeGreaterThan(before);
  }
});

it('what another daemon has in flight is known until its result is, or nothing was heard of it for some seconds', () => {
  const told: ((message: LeaderMessage) => void)[] = [];
  const clock = new FixedClock(0);
  const { dispatcher, commit } = startDispatcher({
    daemons: Object.assign(Object.create(onlyDaemon) as object, {
      ownershipOf: () => 'no',
      onTold: (listener: (message: LeaderMessage) => void) => told.push(listener),
    }),
    clock,
  });
  const keys = [1, 2].map((seq) => ({ seq, target: TARGET.number, n: 0 }));
  told[0]!({ kind: 'in_flight', daemon: 'dmn_2', keys });
  expect(dispatcher.keysInFlight()).toEqual(keys);
  commit({ results: [{ key: keys[0] }] });
  expect(dispatcher.keysInFlight()).toEqual([keys[1]]);
  expect(dispatcher.inFlight(TARGET.number)).toBe(1);
  expect(keys.map((key) => dispatcher.isInFlight(key))).toEqual([false, true]);
  clock.time += 3_000;
  expect(dispatcher.keysInFlight()).toEqual([]);
});

it('a tick reads only of targets that may have due deliveries', async () => {
  let reads = 0;
  let found: number[] = [];
  const { dispatcher } = startDispatcher({
    journal: { takeDue: async () => ((reads += 1), []), findDue: async () => found },
  });
  await settle();
  const before = reads;
  dispatcher.tick();
  await settle();
  expect(reads).toBe(before);
  found = [TARGET.number];
  dispatcher.tick();
  await settle();
  expect(reads).toBeGreaterThan(before);
});

describe('a target that is to be released', () => {
  let ownership: Ownership;
  let released: number[];
  let endRead: () => void;
  let dispatcher: DispatchWorker;
  let become: (next: Ownership) => Promise<void>;

  beforeEach(async () => {
    ownership = 'yes';
    released = [];
    const onOwnership: (() => void)[] = [];
    const daemons = {
      isShared: true,
      ownershipOf: () => ownership,
      delivers: () => ownership === 'yes',
      release: async (target: number) => void released.push(target),
      onOwnership: (listener: () => void) => onOwnership.push(listener),
      onStoredElsewhere: () => undefined,
      onTold: () => undefined,
    };
    become = async (next) => {
      ownership = next;
      for (const listener of onOwnership) listener();
      await settle();
    };
    const { store, ...started } = startDispatcher({
      daemons,
      journal: { readEvent: () => new Promise((resolve) => (endRead = () => resolve(null))) },
    });
    dispatcher = started.dispatcher;
    await settle();
    store(1);
    expect(dispatcher.keysInFlight()).toHaveLength(1);
  });

  it('is released once, when nothing of it is in flight any more', async () => {
    await become('ending');
    await become('ending');
    expect(released).toEqual([]);
    endRead();
    await settle();
    expect(released).toEqual([TARGET.number]);
  });

  it('is not released by the end of what was in flight before it was lost and taken again', async () => {
    await become('ending');
    await become('no');
    await become('yes');
    endRead();
    await settle();
    expect(released).toEqual([]);
  });
});
