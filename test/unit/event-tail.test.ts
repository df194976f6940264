import * as fc from 'fast-check';
import type { EventSummary } from '../../src/contract/event';
import { EventTail, type HoldReason } from '../../ui/src/live/event-tail';

/** More than the list keeps in memory, in one act. */
const VERY_MANY = 5_500;
const MOST_ROWS = 5_000;

const event = (seq: number): EventSummary => ({
  id: `evt_${seq}`,
  seq,
  type: seq % 3 === 0 ? 'task.created' : 'deal.updated',
  entity: null,
  name: null,
  occurred_at: null,
  received_at: '2026-01-01T00:00:00.000Z',
  size_bytes: 1,
  unreadable: null,
  duplicates: 0,
  status: 'pending',
});

/** A daemon in small: what is stored is the numbers from 1 on. It tells a list of them, and is read by it. */
class Stand {
  stored = 0;
  away = false;
  readonly tail: EventTail;
  private told = 0;
  private readonly reads: (() => void)[] = [];

  /** @param reach so many events it looks at for one page, whether they fit or not */
  constructor(
    private readonly type?: string,
    private readonly reach = Infinity,
  ) {
    this.tail = new EventTail(type === undefined ? {} : { type: [type] }, (limit, cursor) => {
      const below = cursor === undefined ? this.stored + 1 : Number(cursor.slice('evt_'.length));
      const lowest = Math.max(1, below - this.reach);
      const fits = this.newestFirst(below - 1).filter(({ seq }) => seq >= lowest);
      const data = fits.slice(0, limit);
      const end = lowest > 1 ? `evt_${lowest}` : null;
      const page = { data, next_cursor: fits.length > limit ? data.at(-1)!.id : end };
      const { away } = this;
      return new Promise((resolve, reject) =>
        this.reads.push(() => (away ? reject(new Error('away')) : resolve(page))),
      );
    });
  }

  /** Lets what is under way come to its end. */
  async answer(): Promise<void> {
    while (this.reads.length > 0) {
      this.reads.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  tell(): void {
    this.tail.receive(Array.from({ length: this.stored - this.told }, (_, i) => event(this.told + 1 + i)));
    this.told = this.stored;
  }

  /** As the socket does with more than one message holds: the newest, and then from where on some are missing. */
  leaveOut(): void {
    const after = this.told;
    this.told = Math.max(after, this.stored - 2);
    this.tell();
    this.tail.miss(after, this.stored);
  }

  /** Every event of the list, read on downwards to its end. */
  async all(): Promise<number[]> {
    while (this.tail.read().hasOlder) {
      void this.tail.loadOlder();
      await this.answer();
    }
    return this.tail.read().rows.map(({ seq }) => seq);
  }

  newestFirst(from = this.stored): EventSummary[] {
    const all = Array.from({ length: Math.max(0, from) }, (_, i) => event(from - i));
    return all.filter(({ type }) => this.type === undefined || type === this.type);
  }
}

const holds = fc.record({ hold: fc.constantFrom<HoldReason>('paused', 'scrolled'), on: fc.boolean() });
const happenings = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ commits: fc.integer({ min: 1, max: 150 }) }) },
    { weight: 5, arbitrary: fc.constantFrom('tell' as const, 'answer' as const) },
    { weight: 2, arbitrary: holds },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'leave out' as const,
        'catch up' as const,
        'older' as const,
        'away' as const,
      ),
    },
    { weight: 1, arbitrary: fc.record({ commits: fc.constant(VERY_MANY) }) },
  ),
  { maxLength: 30 },
);

it.each([undefined, 'task.created'])(
  'the list has every event once and in order, whatever happens (narrowed to %s)',
  async (type) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300), happenings, async (before, all) => {
        const stand = new Stand(type);
        stand.stored = before;
        void stand.tail.catchUp();
        await stand.answer();
        for (const one of all) {
          const rows = stand.tail.read().rows.map(({ id }) => id);
          const { held } = stand.tail.read();
          stand.away = one === 'away';
          if (one === 'tell') stand.tell();
          else if (one === 'answer') await stand.answer();
          else if (one === 'leave out') stand.leaveOut();
          else if (one === 'older') void stand.tail.loadOlder();
          else if (one === 'catch up' || one === 'away') void stand.tail.catchUp();
          else if ('commits' in one) stand.stored += one.commits;
          else stand.tail.hold(one.hold, one.on);
          if (one === 'away') await stand.answer();
          // What is read does not move; it may go on below.
          if (held.size > 0 && stand.tail.read().held.size > 0)
            expect(
              stand.tail
                .read()
                .rows.slice(0, rows.length)
                .map(({ id }) => id),
            ).toEqual(rows);
        }
        stand.away = false;
        await stand.answer();
        stand.tell();
        void stand.tail.catchUp();
        await stand.answer();
        const { held, waiting, waitingMore, rows } = stand.tail.read();
        const truth = stand.newestFirst().map(({ seq }) => seq);
        const unread = truth.filter((seq) => seq > (rows[0]?.seq ?? 0)).length;
        if (waitingMore) expect(waiting).toBeLessThanOrEqual(unread);
        else expect(waiting).toBe(held.size === 0 ? 0 : unread);
        for (const reason of held) stand.tail.hold(reason, false);
        expect(stand.tail.read().waiting).toBe(0);
        expect(await stand.all()).toEqual(truth);
      }),
      { numRuns: 150 },
    );
  },
  120_000,
);

it('keeps so many rows in memory and no more, however many come, and reads the others again', async () => {
  const stand = new Stand();
  void stand.tail.catchUp();
  await stand.answer();
  for (let i = 0; i < 130; i += 1) {
    stand.stored += 100;
    stand.tell();
  }
  expect(stand.tail.read().rows).toHaveLength(MOST_ROWS);
  expect(await stand.all()).toHaveLength(13_000);
  stand.stored += 1;
  stand.tell();
  expect(stand.tail.read().rows).toHaveLength(MOST_ROWS);
});

it('counts all that waits, and begins with the newest of it once it is let go', async () => {
  const stand = new Stand();
  stand.stored = 10;
  void stand.tail.catchUp();
  await stand.answer();
  stand.tail.hold('paused', true);
  for (let i = 0; i < 90; i += 1) {
    stand.stored += 100;
    stand.tell();
  }
  expect(stand.tail.read()).toMatchObject({ waiting: 9_000, waitingMore: false });
  stand.tail.hold('paused', false);
  expect(stand.tail.read().rows[0]!.seq).toBe(9_010);
  expect(await stand.all()).toHaveLength(9_010);
});

it('reads on where a page is empty and yet not the last one', async () => {
  const stand = new Stand('task.created', 2);
  stand.stored = 301;
  void stand.tail.catchUp();
  await stand.answer();
  expect(await stand.all()).toEqual(stand.newestFirst().map(({ seq }) => seq));
});
