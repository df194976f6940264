import { FixedClock } from '../../support/clock';
import { settle, startDispatcher } from '../../support/dispatcher';
import { TARGET } from '../../support/queue-tools';

it('a delivery of an event that was read some time after its commit is read again, since it may have been sent', async () => {
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

it('what another daemon has stored for a target is read at once', async () => {
  let reads = 0;
  const { announceEvents } = startDispatcher({
    journal: { takeDue: async () => ((reads += 1), []) },
  });
  await settle();
  const before = reads;
  announceEvents([TARGET.number + 1]);
  await settle();
  expect(reads).toBe(before);
  announceEvents([TARGET.number]);
  await settle();
  expect(reads).toBe(before + 1);
});

it('nothing is read until the changes of targets that the leader has announced are loaded', async () => {
  let reads = 0;
  const loads: (() => void)[] = [];
  const { dispatcher, announceEvents } = startDispatcher({
    journal: { takeDue: async () => ((reads += 1), []), findDue: async () => [TARGET.number] },
    settled: () => new Promise<void>((resolve) => loads.push(resolve)),
  });
  await settle();
  for (const poll of [() => announceEvents([TARGET.number]), () => dispatcher.tick()]) {
    const before = reads;
    poll();
    await settle();
    expect(reads).toBe(before);
    loads.pop()!();
    await settle();
    expect(reads).toBeGreaterThan(before);
  }
});

it('what another daemon has in flight is known until its result is, or it has reported nothing for some seconds', () => {
  const clock = new FixedClock(0);
  const { dispatcher, commit, leaderLink } = startDispatcher({ isShared: true, clock });
  const keys = [1, 2].map((seq) => ({ seq, target: TARGET.number, n: 0 }));
  leaderLink.send({ kind: 'in_flight', daemon: 'dmn_2', keys });
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

it('a dispatcher of several delivers to the targets that are assigned to it', async () => {
  const { dispatcher, store } = startDispatcher({ isShared: true });
  store(1);
  expect(dispatcher.keysInFlight()).toEqual([]);
  dispatcher.open([TARGET.number]);
  expect(dispatcher.opened).toEqual([TARGET.number]);
  await settle();
  store(2);
  expect(dispatcher.keysInFlight()).toHaveLength(1);
});
