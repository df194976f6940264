import * as fc from 'fast-check';
import type { EventSummary } from '../../../src/contract/event';
import type { LiveGap } from '../../../src/contract/live';
import type { FindEventsQuery } from '../../../src/relay/events/search/find-events.query';
import { EVENTS_PER_MESSAGE, EventBuffer } from '../../../src/relay/live/batch';
import { CatchUp } from '../../../src/relay/live/catch-up';

/** Steps in any order: events are committed, subscribers are notified, a read takes its snapshot, and ends. */
const sequences = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ commits: fc.integer({ min: 1, max: 4 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({ commits: fc.constantFrom(EVENTS_PER_MESSAGE + 1, 2 * EVENTS_PER_MESSAGE + 1) }),
    },
    { weight: 4, arbitrary: fc.constantFrom('tick' as const, 'read' as const) },
  ),
  { maxLength: 40 },
);

/** A model of the daemon: it stores the numbers from 1, and a read returns what was stored when it began. */
class Daemon {
  stored = 0;
  received: (number | LiveGap)[] = [];
  follows = false;
  private readonly buffer = new EventBuffer();
  private readonly catchUp: CatchUp;
  private readonly reads: (() => void)[] = [];

  constructor(since: number) {
    this.commit(since);
    this.buffer.take();
    const snapshot = <Value>(take: () => Value): Promise<Value> => {
      const value = take();
      return new Promise((resolve) => this.reads.push(() => resolve(value)));
    };
    const finder = {
      after: (seq: number, limit: number) =>
        snapshot(() =>
          Array.from({ length: Math.min(limit, this.stored - seq) }, (_, i) => event(seq + 1 + i)),
        ),
      newestSeq: () => snapshot(() => this.stored),
    };
    this.catchUp = new CatchUp(since, finder as unknown as FindEventsQuery, () => {});
    void this.catchUp.read();
  }

  /** Ends one of the running reads. */
  async read(): Promise<void> {
    this.reads.shift()?.();
    // What awaits it runs in earlier microtasks.
    await new Promise((resolve) => setImmediate(resolve));
  }

  commit(count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.stored += 1;
      this.buffer.add(event(this.stored));
    }
  }

  tick(): void {
    const batch = this.buffer.take();
    if (this.follows) {
      this.receive(batch);
      return;
    }
    const { isCaughtUp: follows, ...received } = this.catchUp.take(batch);
    this.receive(received);
    this.follows = follows;
    if (!follows) void this.catchUp.read();
  }

  private receive({ gap, events }: { gap: LiveGap | null; events: EventSummary[] }): void {
    if (gap !== null) this.received.push(gap);
    this.received.push(...events.map(({ seq }) => seq));
  }
}

const event = (seq: number) => ({ seq }) as EventSummary;

it('a client that reconnects receives every missed event, once and in order, whatever happens meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(5), fc.nat(5), sequences, async (since, missed, all) => {
      const daemon = new Daemon(since);
      daemon.commit(missed);
      for (const one of all) {
        if (one === 'tick') daemon.tick();
        else if (one === 'read') await daemon.read();
        else daemon.commit(one.commits);
      }
      for (let i = 0; i < 8 && !daemon.follows; i += 1) {
        for (let k = 0; k < 3; k += 1) await daemon.read();
        daemon.tick();
      }
      daemon.tick();
      expect(daemon.follows).toBe(true);
      let through = since;
      for (const one of daemon.received) {
        const [first, last] = typeof one === 'number' ? [one - 1, one] : [one.after_seq, one.last_seq];
        expect(first).toBe(through);
        through = last;
      }
      expect(through).toBe(daemon.stored);
    }),
    { numRuns: 300 },
  );
});

it('an event is pending if a delivery has followed it before it is sent', () => {
  const buffer = new EventBuffer();
  buffer.add({ seq: 1, status: 'unmatched', targets: {} } as EventSummary);
  for (const seq of [1, 1, 2]) buffer.addDelivery(seq);
  expect(buffer.take().events).toEqual([{ seq: 1, status: 'pending', targets: { pending: 2 } }]);
});
