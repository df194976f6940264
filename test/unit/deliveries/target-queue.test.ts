import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { PRIORITY } from '../../../src/relay/database/journal';
import { CLASSES } from '../../../src/relay/deliveries/queue/ready-deliveries';
import { TargetQueue, type QueueTools } from '../../../src/relay/deliveries/queue/target-queue';
import { CLOSED } from '../../../src/relay/deliveries/sending/breaker';
import { onlyDaemon } from '../../support/only-daemon';
import type { TargetRecord } from '../../../src/relay/targets/target-record';

const TARGET = {
  number: 1,
  url: 'http://127.0.0.1:9/',
  tls: null,
  policy: DEFAULT_POLICY,
  paused: null,
  disabled: null,
} as unknown as TargetRecord;

const TOOLS = {
  guard: { routeTo: () => ({}), literalCheckFor: () => () => null },
  sending: { open: () => 1, abort: () => undefined },
  breakers: { of: () => CLOSED },
  bounds: { latest: () => 0, earliest: () => 0 },
};

it('what is committed while due deliveries are read is read afterwards', async () => {
  const reads: (() => void)[] = [];
  const endRead = async () => {
    reads.shift()!();
    await new Promise(setImmediate);
  };
  const queue = new TargetQueue(TARGET, {
    daemons: onlyDaemon,
    journal: { takeDue: () => new Promise((resolve) => reads.push(() => resolve([]))) },
    ...TOOLS,
  } as unknown as QueueTools);
  queue.wake([PRIORITY.live]);
  for (const _ of CLASSES) await endRead();
  expect(reads).toHaveLength(0);

  queue.wake([PRIORITY.live]);
  queue.enqueue({ seq: 1, target: TARGET.number, n: 0 }, null, 0);
  queue.wake([]);
  expect(reads).toHaveLength(1);
  await endRead();
  expect(reads).toHaveLength(1);
  await endRead();
  expect(reads).toHaveLength(0);
  await queue.close();
});

it('nothing is read while another daemon may deliver to the target', async () => {
  let delivers = false;
  let reads = 0;
  const queue = new TargetQueue(TARGET, {
    daemons: { delivers: () => delivers },
    journal: {
      takeDue: () => {
        reads += 1;
        return Promise.resolve([]);
      },
    },
    ...TOOLS,
  } as unknown as QueueTools);
  queue.wake();
  expect(reads).toBe(0);
  delivers = true;
  queue.wake();
  expect(reads).toBe(1);
  await queue.close();
});

it('what was read and is not in flight is not sent without reading it again, if it may be outdated', async () => {
  let due = [1, 2];
  const attempted: number[] = [];
  const ends: (() => void)[] = [];
  const queue = new TargetQueue({ ...TARGET, policy: { ...DEFAULT_POLICY, concurrency: 1 } }, {
    daemons: onlyDaemon,
    journal: {
      takeDue: async (target: number, ofClass: number) =>
        ofClass === PRIORITY.live
          ? due.map((seq) => ({ key: { seq, target, n: 0 }, class: ofClass, lane: null, createdAt: 0 }))
          : [],
      readEvent: (seq: number) => {
        attempted.push(seq);
        return new Promise((resolve) => ends.push(() => resolve(null)));
      },
    },
    ...TOOLS,
  } as unknown as QueueTools);
  queue.wake();
  await new Promise(setImmediate);
  expect(attempted).toEqual([1]);
  due = [1, 3];
  queue.readAgain();
  await new Promise(setImmediate);
  ends[0]!();
  await new Promise(setImmediate);
  expect(attempted).toEqual([1, 3]);
  await queue.close();
});
