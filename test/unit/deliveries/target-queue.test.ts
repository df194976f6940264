import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import {
  deliverableEvent,
  MAX_QUEUED_BODY_BYTES,
} from '../../../src/relay/database/journal/deliverable-event';
import { PRIORITY } from '../../../src/relay/database/journal/journal';
import { CLASSES } from '../../../src/relay/deliveries/queue/ready-deliveries';
import { TargetQueue, type QueueTools } from '../../../src/relay/deliveries/queue/target-queue';
import { draft } from '../../support/daemon/scratch-journal';
import { ONLY_DAEMON } from '../../support/only-daemon';
import { QUEUE_TOOLS, TARGET } from '../../support/queue-tools';

it('what is committed while due deliveries are read is read afterwards', async () => {
  const reads: (() => void)[] = [];
  const endRead = async () => {
    reads.shift()!();
    await new Promise(setImmediate);
  };
  const queue = new TargetQueue(TARGET, {
    ownership: ONLY_DAEMON.ownership,
    journal: { takeDue: () => new Promise((resolve) => reads.push(() => resolve([]))) },
    ...QUEUE_TOOLS,
  } as unknown as QueueTools);
  queue.wake([PRIORITY.live]);
  for (const _ of CLASSES) await endRead();
  expect(reads).toHaveLength(0);

  queue.wake([PRIORITY.live]);
  queue.enqueue({ seq: 1, target: TARGET.number, n: 0 }, null, 0, () => undefined);
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
    ownership: { delivers: () => delivers },
    journal: {
      takeDue: () => {
        reads += 1;
        return Promise.resolve([]);
      },
    },
    ...QUEUE_TOOLS,
  } as unknown as QueueTools);
  queue.wake();
  expect(reads).toBe(0);
  delivers = true;
  queue.wake();
  expect(reads).toBe(1);
  await queue.close();
});

it('an event that was just committed is read again only if its body is large', async () => {
  const read: number[] = [];
  const readEvent = (seq: number) => {
    read.push(seq);
    return Promise.resolve(null);
  };
  const queue = new TargetQueue(TARGET, {
    ownership: ONLY_DAEMON.ownership,
    journal: { takeDue: () => Promise.resolve([]), readEvent },
    ...QUEUE_TOOLS,
    // The attempt gets no further.
    log: { error: () => undefined },
  } as unknown as QueueTools);
  queue.wake();
  await new Promise(setImmediate);
  for (const [i, length] of [MAX_QUEUED_BODY_BYTES, MAX_QUEUED_BODY_BYTES + 1].entries()) {
    const event = draft(i + 1, { body: Buffer.alloc(length) });
    const key = { seq: i + 1, target: TARGET.number, n: 0 };
    queue.enqueue(key, null, 0, () => deliverableEvent(key.seq, event));
  }
  queue.wake([]);
  await new Promise(setImmediate);
  expect(read).toEqual([2]);
  await queue.close();
});

describe('what was read and is not in flight', () => {
  let due: number[];
  let delivers: boolean;
  let attempted: number[];
  let ends: (() => void)[];
  let queue: TargetQueue;

  beforeEach(async () => {
    due = [1, 2];
    delivers = true;
    attempted = [];
    ends = [];
    queue = new TargetQueue({ ...TARGET, policy: { ...DEFAULT_POLICY, concurrency: 1 } }, {
      ownership: { delivers: () => delivers },
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
      ...QUEUE_TOOLS,
    } as unknown as QueueTools);
    queue.wake();
    await new Promise(setImmediate);
    expect(attempted).toEqual([1]);
  });
  afterEach(() => queue.close());

  const endFirst = async () => {
    ends[0]!();
    await new Promise(setImmediate);
  };

  it('is not sent without reading it again, if it may be outdated', async () => {
    due = [1, 3];
    queue.readAgain();
    await new Promise(setImmediate);
    await endFirst();
    expect(attempted).toEqual([1, 3]);
  });

  it('is read again after a time in which another daemon may have delivered to the target, or cancelled it', async () => {
    delivers = false;
    queue.wake();
    due = [3];
    delivers = true;
    await endFirst();
    expect(attempted).toEqual([1, 3]);
  });
});
