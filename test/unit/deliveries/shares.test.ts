import type { DeliveryClass, DueDelivery } from '../../../src/relay/database/journal';
import { ReadyDeliveries } from '../../../src/relay/deliveries/queue/ready-deliveries';
import { TokenBucket } from '../../../src/relay/deliveries/queue/token-bucket';

function deliveries(ofClass: DeliveryClass, count: number): DueDelivery[] {
  return Array.from({ length: count }, (_, i) => ({
    key: { seq: i + 1, target: 1, n: 0 },
    class: ofClass,
    lane: null,
    attempts: 0,
    spared: 0,
    dueAt: 0,
    createdAt: 0,
    trigger: 'live',
    replayId: null,
  }));
}

const filled = (counts: readonly [number, number, number]) => {
  const ready = new ReadyDeliveries();
  for (const [ofClass, count] of counts.entries())
    ready.add(ofClass as DeliveryClass, deliveries(ofClass as DeliveryClass, count));
  return ready;
};

/** Takes so many, each done at once. */
const takeDone = (ready: ReadyDeliveries, count: number) =>
  Array.from({ length: count }, () => {
    const { class: ofClass } = ready.take(16)!;
    ready.done(ofClass);
    return ofClass;
  });

const tally = (classes: DeliveryClass[]) =>
  [0, 1, 2].map((ofClass) => classes.filter((one) => one === ofClass).length);

describe('what goes first to one target', () => {
  it('is a first attempt mostly, while retries and replays keep a small share', () => {
    expect(tally(takeDone(filled([2_000, 2_000, 2_000]), 1_100))).toEqual([800, 200, 100]);
  });

  it('is whatever there is: nobody waits for a share that is not used', () => {
    expect(tally(takeDone(filled([0, 40, 20]), 60))).toEqual([0, 40, 20]);
    expect(filled([0, 0, 0]).take(16)).toBeNull();
  });

  it('is a first attempt soon, after however long there was none', () => {
    const ready = filled([0, 5_000, 5_000]);
    takeDone(ready, 4_000);
    ready.add(0, deliveries(0, 1));
    expect(takeDone(ready, 2)).toContain(0);
  });

  it('saves nothing up while there is nothing of it: the others keep their share', () => {
    const ready = filled([0, 5_000, 5_000]);
    takeDone(ready, 4_000);
    ready.add(0, deliveries(0, 2_000));
    const [first, retries, replays] = tally(takeDone(ready, 110));
    expect(first! + retries! + replays!).toBe(110);
    expect(first).toBeLessThanOrEqual(81);
    expect(retries).toBeGreaterThanOrEqual(19);
    expect(replays).toBeGreaterThanOrEqual(9);
  });

  it('keeps its own order within a class', () => {
    const ready = filled([5, 0, 0]);
    expect([1, 2, 3, 4, 5].map(() => ready.take(16)!.key.seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('finds a place free, however many retries and replays hang', () => {
    const ready = filled([0, 100, 100]);
    const hanging: DeliveryClass[] = [];
    for (let one = ready.take(16); one !== null; one = ready.take(16)) hanging.push(one.class);
    expect(hanging).toHaveLength(12);
    expect(tally(hanging)[2]).toBeLessThanOrEqual(8);
    ready.add(0, deliveries(0, 10));
    expect(Array.from({ length: 5 }, () => ready.take(16)?.class ?? null)).toEqual([0, 0, 0, 0, null]);
  });

  it('takes what it gets where there is one place alone', () => {
    const ready = filled([0, 1, 0]);
    expect(ready.take(1)).toMatchObject({ class: 1 });
    expect(ready.take(1)).toBeNull();
  });
});

/** How many go out within a time, looked at every millisecond. */
const sentWithin = (bucket: TokenBucket, from: number, ms: number) => {
  let sent = 0;
  for (let now = from; now < from + ms; now += 1) while (bucket.take(now)) sent += 1;
  return sent;
};

describe('a rate', () => {
  it.each([
    [10, 'second', 60_000, 600],
    [1, 'second', 60_000, 60],
    [500, 'second', 10_000, 5_000],
    [30, 'minute', 600_000, 300],
  ] as const)('of %i a %s is kept to over %i ms', (limit, per, ms, expected) => {
    const sent = sentWithin(new TokenBucket({ limit, per }, 0), 0, ms);
    expect(sent).toBeGreaterThanOrEqual(expected * 0.98);
    expect(sent).toBeLessThanOrEqual(expected + Math.max(1, limit / 10));
  });

  it('lets no more out after a long rest than a tenth of a second of it', () => {
    const bucket = new TokenBucket({ limit: 100, per: 'second' }, 0);
    expect(sentWithin(bucket, 3_600_000, 1)).toBe(10);
  });

  it('says how long to wait for the next, and is right', () => {
    const bucket = new TokenBucket({ limit: 4, per: 'second' }, 0);
    expect(bucket.take(0)).toBe(true);
    expect(bucket.waitMs(0)).toBe(250);
    expect(bucket.take(249)).toBe(false);
    expect(bucket.take(250)).toBe(true);
  });
});
