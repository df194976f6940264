import { setImmediate as nextTurn } from 'node:timers/promises';
import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import type { Committed } from '../../../src/relay/database/journal';
import { DispatchWorker } from '../../../src/relay/deliveries/queue/dispatch.worker';
import { CLOSED } from '../../../src/relay/deliveries/sending/breaker';
import { onlyDaemon } from '../../support/only-daemon';

const TARGET = {
  number: 1,
  url: 'http://127.0.0.1:9/',
  tls: null,
  policy: DEFAULT_POLICY,
  paused: null,
  disabled: null,
};

const nextRead = async () => {
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
};

it('a delivery of an event that was read some time after its commit is looked for, since it may have been sent', async () => {
  const listeners: ((committed: Committed) => void)[] = [];
  let reads = 0;
  const tools = {
    targets: { onChange: () => undefined, all: () => [TARGET], byNumber: () => TARGET },
    daemons: onlyDaemon,
    journal: {
      onCommit: (listener: (typeof listeners)[number]) => listeners.push(listener),
      takeDue: async () => ((reads += 1), []),
    },
    guard: { routeTo: () => ({}), literalCheckFor: () => () => null },
    // Its attempts do not end.
    sending: { open: () => 1, abort: () => undefined, end: async () => undefined },
    breakers: { of: () => CLOSED },
    clock: { monotonic: () => 0, now: () => 0 },
    bounds: { latest: () => 0, earliest: () => 0 },
    random: {},
    tracer: {},
    publicAddress: {},
    log: { error: () => undefined },
  };
  const parts = Object.values(tools) as unknown as ConstructorParameters<typeof DispatchWorker>;
  const dispatcher = new DispatchWorker(...parts);
  const stored = (seq: number, wasRead?: true) =>
    listeners[0]!({
      events: [{ seq, draft: { receivedAt: 0 }, planned: [{ target: 1, lane: null }], wasRead }],
      scheduled: [],
      results: [],
      promoted: [],
      ended: [],
    } as unknown as Committed);
  dispatcher.onListening();
  await nextRead();
  const before = reads;

  stored(1, true);
  expect(dispatcher.keysInFlight()).toEqual([]);
  expect(reads).toBe(before + 1);
  await nextRead();
  stored(2);
  expect(dispatcher.keysInFlight()).toEqual([{ seq: 2, target: 1, n: 0 }]);
});
