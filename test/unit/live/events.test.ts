import * as fc from 'fast-check';
import type { EventSummary } from '../../../src/contract/event';
import type { LiveGap } from '../../../src/contract/live';
import type { FindEvents } from '../../../src/relay/events/search/find-events';
import { EVENTS_PER_MESSAGE, EventBuffer } from '../../../src/relay/live/batch';
import { CatchUp } from '../../../src/relay/live/catch-up';

/** What happens, in any order: events are committed, the followers are told, a read takes its snapshot, and ends. */
const happenings = fc.array(
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

/** A daemon in small: what is stored is the numbers from 1 on, and a read shows what was stored when it began. */
class Daemon {
  stored = 0;
  told: (number | LiveGap)[] = [];
  follows = false;
  private readonly gathering = new EventBuffer();
  private readonly newcomer: CatchUp;
  private readonly reads: (() => void)[] = [];

  constructor(since: number) {
    this.commit(since);
    this.gathering.take();
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
    this.newcomer = new CatchUp(since, finder as unknown as FindEvents);
    void this.newcomer.read();
  }

  /** Lets one read end that is under way. */
  async read(): Promise<void> {
    this.reads.shift()?.();
    // What waits for it runs in the microtasks before this.
    await new Promise((resolve) => setImmediate(resolve));
  }

  commit(count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.stored += 1;
      this.gathering.add(event(this.stored));
    }
  }

  tick(): void {
    const batch = this.gathering.take();
    if (this.follows) {
      this.hear(batch);
      return;
    }
    const { isCaughtUp: follows, ...told } = this.newcomer.take(batch);
    this.hear(told);
    this.follows = follows;
    if (!follows) void this.newcomer.read();
  }

  private hear({ gap, events }: { gap: LiveGap | null; events: EventSummary[] }): void {
    if (gap !== null) this.told.push(gap);
    this.told.push(...events.map(({ seq }) => seq));
  }
}

const event = (seq: number) => ({ seq }) as EventSummary;

it('who comes back is told every event after the last one, once and in order, whatever happens meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(5), fc.nat(5), happenings, async (since, missed, all) => {
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
      for (const one of daemon.told) {
        const [first, last] = typeof one === 'number' ? [one - 1, one] : [one.after_seq, one.last_seq];
        expect(first).toBe(through);
        through = last;
      }
      expect(through).toBe(daemon.stored);
    }),
    { numRuns: 300 },
  );
});
