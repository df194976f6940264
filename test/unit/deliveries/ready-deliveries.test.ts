import type { DeliveryClass } from '../../../src/relay/database/journal/journal';
import { ReadyDeliveries } from '../../../src/relay/deliveries/queue/ready-deliveries';
import { dueDelivery } from '../../support/due-delivery';

const deliveries = (ofClass: DeliveryClass, count: number) =>
  Array.from({ length: count }, (_, i) =>
    dueDelivery({ key: { seq: i + 1, target: 1, n: 0 }, class: ofClass }),
  );

const filled = (counts: readonly [number, number, number]) => {
  const ready = new ReadyDeliveries();
  for (const [ofClass, count] of counts.entries())
    ready.add(ofClass as DeliveryClass, deliveries(ofClass as DeliveryClass, count));
  return ready;
};

/** Takes `count` deliveries, each of which finishes immediately. */
const takeAndFinish = (ready: ReadyDeliveries, count: number) =>
  Array.from({ length: count }, () => {
    const { class: ofClass } = ready.take(16)!;
    ready.done(ofClass);
    return ofClass;
  });

const countByClass = (classes: DeliveryClass[]) =>
  [0, 1, 2].map((ofClass) => classes.filter((one) => one === ofClass).length);

describe('the next delivery to a target', () => {
  it('is mostly a first attempt; retries and replays have a small share', () => {
    expect(countByClass(takeAndFinish(filled([2_000, 2_000, 2_000]), 1_100))).toEqual([800, 200, 100]);
  });

  it('is of another class if a class has no deliveries', () => {
    expect(countByClass(takeAndFinish(filled([0, 40, 20]), 60))).toEqual([0, 40, 20]);
    expect(filled([0, 0, 0]).take(16)).toBeNull();
  });

  it('is soon a first attempt again after a long time without one', () => {
    const ready = filled([0, 5_000, 5_000]);
    takeAndFinish(ready, 4_000);
    ready.add(0, deliveries(0, 1));
    expect(takeAndFinish(ready, 2)).toContain(0);
  });

  it('is not always a first attempt after a time without one: unused shares do not accumulate', () => {
    const ready = filled([0, 5_000, 5_000]);
    takeAndFinish(ready, 4_000);
    ready.add(0, deliveries(0, 2_000));
    const [first, retries, replays] = countByClass(takeAndFinish(ready, 110));
    expect(first! + retries! + replays!).toBe(110);
    expect(first).toBeLessThanOrEqual(81);
    expect(retries).toBeGreaterThanOrEqual(19);
    expect(replays).toBeGreaterThanOrEqual(9);
  });

  it('is the first of its class that was added', () => {
    const ready = filled([5, 0, 0]);
    expect([1, 2, 3, 4, 5].map(() => ready.take(16)!.key.seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('has a slot if it is a first attempt, however many retries and replays hang', () => {
    const ready = filled([0, 100, 100]);
    const hanging: DeliveryClass[] = [];
    for (let one = ready.take(16); one !== null; one = ready.take(16)) hanging.push(one.class);
    expect(hanging).toHaveLength(12);
    expect(countByClass(hanging)[2]).toBeLessThanOrEqual(8);
    ready.add(0, deliveries(0, 10));
    expect(Array.from({ length: 5 }, () => ready.take(16)?.class ?? null)).toEqual([0, 0, 0, 0, null]);
  });

  it('can be of any class if there is only one slot', () => {
    const ready = filled([0, 1, 0]);
    expect(ready.take(1)).toMatchObject({ class: 1 });
    expect(ready.take(1)).toBeNull();
  });
});
