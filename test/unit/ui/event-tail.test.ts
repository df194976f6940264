import * as fc from 'fast-check';
import type { EventSummary } from '../../../src/contract/event';
import type { EventFilter } from '../../../ui/src/api/events';
import { matchesFilter } from '../../../ui/src/live/event-filter';
import { EventTail, type HoldReason } from '../../../ui/src/live/event-tail';

/** More than the list keeps in memory, in one act. */
const VERY_MANY = 5_500;
const MOST_ROWS = 5_000;
const LARGEST_PAGE = 200;

const event = (seq: number, status: EventSummary['status'] = 'pending'): EventSummary => ({
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
  status,
});

/** A daemon in small: what is stored is the numbers from 1 on. It tells a list of them, and is read by it. */
class Stand {
  stored = 0;
  /** Up to here they are delivered. */
  settled = 0;
  away = false;
  /** So often it was read. */
  asked = 0;
  readonly tail: EventTail;
  private told = 0;
  private readonly reads: (() => void)[] = [];

  /** @param reach so many events it looks at for one page, whether they fit or not */
  constructor(
    private readonly filter: EventFilter = {},
    private readonly reach = Infinity,
  ) {
    this.tail = new EventTail(filter, (limit, cursor) => {
      this.asked += 1;
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

  async open(): Promise<void> {
    void this.tail.catchUp();
    await this.answer();
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

  /** As the socket does with more than one message holds: it says so, and then tells of the newest. */
  leaveOut(): void {
    void this.tail.catchUp();
    this.told = Math.max(this.told, this.stored - 2);
    this.tell();
  }

  /** As where the screen is left, or the socket is lost, and opened again: nobody has told of what came meanwhile. */
  comeBack(): void {
    this.told = this.stored;
    void this.tail.catchUp();
  }

  /** Of what was stored only the older half is there: a backup. */
  restore(): void {
    this.stored = Math.floor(this.stored / 2);
    this.comeBack();
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
    const all = Array.from({ length: Math.max(0, from) }, (_, i) =>
      event(from - i, from - i <= this.settled ? 'succeeded' : 'pending'),
    );
    return all.filter(matchesFilter(this.filter));
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
        'come back' as const,
        'older' as const,
        'away' as const,
      ),
    },
    { weight: 1, arbitrary: fc.constant('restore' as const) },
    { weight: 1, arbitrary: fc.record({ commits: fc.constant(VERY_MANY) }) },
  ),
  { maxLength: 30 },
);

it.each([undefined, 'task.created'])(
  'the list has every event once and in order, whatever happens (narrowed to %s)',
  async (type) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300), happenings, async (before, all) => {
        const stand = new Stand(type === undefined ? {} : { type: [type] });
        stand.stored = before;
        await stand.open();
        let isRestored = false;
        for (const one of all) {
          const rows = stand.tail.read().rows.map(({ id }) => id);
          const { holdReasons } = stand.tail.read();
          stand.away = one === 'away';
          if (one === 'tell') stand.tell();
          else if (one === 'answer') await stand.answer();
          else if (one === 'leave out') stand.leaveOut();
          else if (one === 'come back') stand.comeBack();
          else if (one === 'restore') stand.restore();
          else if (one === 'older') void stand.tail.loadOlder();
          else if (one === 'catch up' || one === 'away') void stand.tail.catchUp();
          else if ('commits' in one) stand.stored += one.commits;
          else stand.tail.hold(one.hold, one.on);
          if (one === 'away') await stand.answer();
          // What is read does not move; it may go on below. Another history is another list.
          isRestored ||= one === 'restore';
          if (!isRestored && holdReasons.size > 0 && stand.tail.read().holdReasons.size > 0)
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
        const { holdReasons, newCount, isNewCountMinimum, rows } = stand.tail.read();
        const truth = stand.newestFirst().map(({ seq }) => seq);
        const unread = truth.filter((seq) => seq > (rows[0]?.seq ?? 0)).length;
        if (isNewCountMinimum) expect(newCount).toBeLessThanOrEqual(unread);
        else expect(newCount).toBe(holdReasons.size === 0 ? 0 : unread);
        for (const reason of holdReasons) stand.tail.hold(reason, false);
        expect(stand.tail.read().newCount).toBe(0);
        expect(await stand.all()).toEqual(truth);
      }),
      { numRuns: 150 },
    );
  },
  120_000,
);

it('keeps so many rows in memory and no more, however many come, and reads the others again', async () => {
  const stand = new Stand();
  await stand.open();
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
  await stand.open();
  stand.tail.hold('paused', true);
  for (let i = 0; i < 90; i += 1) {
    stand.stored += 100;
    stand.tell();
  }
  expect(stand.tail.read()).toMatchObject({ newCount: 9_000, isNewCountMinimum: false });
  stand.tail.hold('paused', false);
  expect(stand.tail.read().rows[0]!.seq).toBe(9_000);
  expect(await stand.all()).toHaveLength(9_000);
});

it('says that more waits than it has counted, where more was left out than it keeps', async () => {
  const stand = new Stand();
  stand.stored = 10;
  await stand.open();
  stand.tail.hold('paused', true);
  stand.stored += 20;
  stand.tell();
  stand.stored += 12_000;
  stand.asked = 0;
  stand.leaveOut();
  await stand.answer();
  expect(stand.asked).toBe(MOST_ROWS / LARGEST_PAGE);
  stand.stored += 3;
  stand.tell();
  expect(stand.tail.read()).toMatchObject({ newCount: 20 + MOST_ROWS + 3, isNewCountMinimum: true });
  stand.tail.hold('paused', false);
  expect(await stand.all()).toEqual(stand.newestFirst().map(({ seq }) => seq));
});

it('reads on where a page is empty and yet not the last one', async () => {
  const stand = new Stand({ type: ['task.created'] }, 2);
  stand.stored = 301;
  await stand.open();
  expect(await stand.all()).toEqual(stand.newestFirst().map(({ seq }) => seq));
});

it('begins to follow where it was left, whatever came while nobody looked', async () => {
  const stand = new Stand();
  stand.stored = 10;
  await stand.open();
  stand.stored += 5;
  stand.comeBack();
  stand.stored += 1;
  stand.tell();
  expect(stand.tail.read().rows[0]!.seq).toBe(10);
  await stand.answer();
  expect(stand.tail.read().rows.map(({ seq }) => seq)).toEqual(stand.newestFirst().map(({ seq }) => seq));
});

it('reads the state of a row again that so many have come above that it was not reached', async () => {
  const stand = new Stand();
  stand.stored = 200;
  await stand.open();
  stand.settled = 200;
  stand.stored += 150;
  stand.tail.setVisible(0, 10);
  stand.tail.markStale(stand.tail.read().rows.map(({ id }) => id));
  void stand.tail.refresh();
  await stand.answer();
  stand.tell();
  stand.tail.setVisible(150, 160);
  void stand.tail.refresh();
  await stand.answer();
  expect(stand.tail.read().rows[150]).toMatchObject({ seq: 200, status: 'succeeded' });
});

it('reads the states of rows that are held below many that wait', async () => {
  const stand = new Stand();
  stand.stored = 200;
  await stand.open();
  stand.tail.hold('paused', true);
  stand.stored += 400;
  stand.tell();
  stand.settled = 200;
  stand.tail.setVisible(0, 10);
  stand.tail.markStale(['evt_200']);
  void stand.tail.refresh();
  await stand.answer();
  expect(stand.tail.read().rows[0]).toMatchObject({ seq: 200, status: 'succeeded' });
});

it('reads the states of what waits as it catches up', async () => {
  const stand = new Stand();
  await stand.open();
  stand.tail.hold('paused', true);
  stand.stored = 20;
  stand.tell();
  stand.settled = 20;
  stand.comeBack();
  await stand.answer();
  stand.tail.hold('paused', false);
  expect(new Set(stand.tail.read().rows.map(({ status }) => status))).toEqual(new Set(['succeeded']));
});

it('drops rows that have left the state it is narrowed to, once they need not be held', async () => {
  const stand = new Stand({ status: 'pending' });
  stand.stored = 20;
  await stand.open();
  stand.tail.hold('selected', true);
  stand.settled = 15;
  await stand.open();
  expect(stand.tail.read().rows).toHaveLength(20);
  stand.tail.hold('selected', false);
  await stand.answer();
  expect(stand.tail.read().rows.map(({ seq }) => seq)).toEqual([20, 19, 18, 17, 16]);
});
