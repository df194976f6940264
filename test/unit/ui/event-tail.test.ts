import * as fc from 'fast-check';
import type { HoldReason } from '../../../ui/src/live/tail-view';
import { FakeDaemon } from './fake-daemon';

/** More events at once than the list keeps in memory. */
const VERY_MANY = 5_500;
const MAX_ROWS = 5_000;
const MAX_PAGE_SIZE = 200;

const holds = fc.record({ hold: fc.constantFrom<HoldReason>('paused', 'scrolled'), on: fc.boolean() });
const actions = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ commits: fc.integer({ min: 1, max: 150 }) }) },
    { weight: 5, arbitrary: fc.constantFrom('publish' as const, 'respond' as const) },
    { weight: 2, arbitrary: holds },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'gap' as const,
        'catch up' as const,
        'reconnect' as const,
        'older' as const,
        'down' as const,
      ),
    },
    { weight: 1, arbitrary: fc.constant('restore' as const) },
    { weight: 1, arbitrary: fc.record({ commits: fc.constant(VERY_MANY) }) },
  ),
  { maxLength: 30 },
);

it.each([undefined, 'task.created'])(
  'the list has every event once and in order, whatever happens (filter: %s)',
  async (type) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300), actions, async (before, all) => {
        const daemon = new FakeDaemon(type === undefined ? {} : { type: [type] });
        daemon.stored = before;
        await daemon.open();
        let isRestored = false;
        for (const one of all) {
          const rows = daemon.tail.read().rows.map(({ id }) => id);
          const { holdReasons } = daemon.tail.read();
          daemon.isDown = one === 'down';
          if (one === 'publish') daemon.publish();
          else if (one === 'respond') await daemon.respond();
          else if (one === 'gap') daemon.publishAfterGap();
          else if (one === 'reconnect') daemon.reconnect();
          else if (one === 'restore') daemon.restore();
          else if (one === 'older') void daemon.tail.loadOlder();
          else if (one === 'catch up' || one === 'down') void daemon.tail.catchUp();
          else if ('commits' in one) daemon.stored += one.commits;
          else daemon.tail.hold(one.hold, one.on);
          if (one === 'down') await daemon.respond();
          // Loaded rows do not move; more may follow below. A different history replaces the list.
          isRestored ||= one === 'restore';
          if (!isRestored && holdReasons.size > 0 && daemon.tail.read().holdReasons.size > 0)
            expect(
              daemon.tail
                .read()
                .rows.slice(0, rows.length)
                .map(({ id }) => id),
            ).toEqual(rows);
        }
        daemon.isDown = false;
        await daemon.respond();
        daemon.publish();
        void daemon.tail.catchUp();
        await daemon.respond();
        const { holdReasons, newCount, isNewCountMinimum, rows } = daemon.tail.read();
        const truth = daemon.newestFirst().map(({ seq }) => seq);
        const unread = truth.filter((seq) => seq > (rows[0]?.seq ?? 0)).length;
        if (isNewCountMinimum) expect(newCount).toBeLessThanOrEqual(unread);
        else expect(newCount).toBe(holdReasons.size === 0 ? 0 : unread);
        for (const reason of holdReasons) daemon.tail.hold(reason, false);
        expect(daemon.tail.read().newCount).toBe(0);
        expect(await daemon.loadAll()).toEqual(truth);
      }),
      { numRuns: 150 },
    );
  },
);

it('limits the rows in memory, and loads dropped ones again', async () => {
  const daemon = new FakeDaemon();
  await daemon.open();
  for (let i = 0; i < 130; i += 1) {
    daemon.stored += 100;
    daemon.publish();
  }
  expect(daemon.tail.read().rows).toHaveLength(MAX_ROWS);
  expect(await daemon.loadAll()).toHaveLength(13_000);
  daemon.stored += 1;
  daemon.publish();
  expect(daemon.tail.read().rows).toHaveLength(MAX_ROWS);
});

it('counts all held events, and starts with the newest when released', async () => {
  const daemon = new FakeDaemon();
  await daemon.open();
  daemon.tail.hold('paused', true);
  for (let i = 0; i < 90; i += 1) {
    daemon.stored += 100;
    daemon.publish();
  }
  expect(daemon.tail.read()).toMatchObject({ newCount: 9_000, isNewCountMinimum: false });
  daemon.tail.hold('paused', false);
  expect(daemon.tail.read().rows[0]!.seq).toBe(9_000);
  expect(await daemon.loadAll()).toHaveLength(9_000);
});

it('reports the count as a minimum if more events were missed than it stores', async () => {
  const daemon = new FakeDaemon();
  daemon.stored = 10;
  await daemon.open();
  daemon.tail.hold('paused', true);
  daemon.stored += 20;
  daemon.publish();
  daemon.stored += 12_000;
  daemon.requests = 0;
  daemon.publishAfterGap();
  await daemon.respond();
  expect(daemon.requests).toBe(MAX_ROWS / MAX_PAGE_SIZE);
  daemon.stored += 3;
  daemon.publish();
  expect(daemon.tail.read()).toMatchObject({ newCount: 20 + MAX_ROWS + 3, isNewCountMinimum: true });
  daemon.tail.hold('paused', false);
  expect(await daemon.loadAll()).toEqual(daemon.newestFirst().map(({ seq }) => seq));
});

it('continues after an empty page that is not the last one', async () => {
  const daemon = new FakeDaemon({ type: ['task.created'] }, 2);
  daemon.stored = 301;
  await daemon.open();
  expect(await daemon.loadAll()).toEqual(daemon.newestFirst().map(({ seq }) => seq));
});

it('resumes at its last position, whatever arrived meanwhile', async () => {
  const daemon = new FakeDaemon();
  daemon.stored = 10;
  await daemon.open();
  daemon.stored += 5;
  daemon.reconnect();
  daemon.stored += 1;
  daemon.publish();
  expect(daemon.tail.read().rows[0]!.seq).toBe(10);
  await daemon.respond();
  expect(daemon.tail.read().rows.map(({ seq }) => seq)).toEqual(daemon.newestFirst().map(({ seq }) => seq));
});

it('reloads the state of a row that newer ones pushed off the page', async () => {
  const daemon = new FakeDaemon();
  daemon.stored = 200;
  await daemon.open();
  daemon.delivered = 200;
  daemon.stored += 150;
  daemon.tail.setVisible(0, 10);
  daemon.tail.markStale(daemon.tail.read().rows.map(({ id }) => id));
  void daemon.tail.refresh();
  await daemon.respond();
  daemon.publish();
  daemon.tail.setVisible(150, 160);
  void daemon.tail.refresh();
  await daemon.respond();
  expect(daemon.tail.read().rows[150]).toMatchObject({ seq: 200, status: 'succeeded' });
});

it('reloads the states of the rows on the screen, however many events arrive meanwhile', async () => {
  const daemon = new FakeDaemon();
  daemon.stored = 20;
  await daemon.open();
  daemon.delivered = 20;
  daemon.stored += 1_000;
  daemon.tail.setVisible(0, 10);
  daemon.tail.markStale(daemon.tail.read().rows.map(({ id }) => id));
  void daemon.tail.refresh();
  await daemon.respond();
  const { rows } = daemon.tail.read();
  expect(new Set(rows.slice(1, 10).map(({ status }) => status))).toEqual(new Set(['succeeded']));
});

it('reloads the states of rows below many held events', async () => {
  const daemon = new FakeDaemon();
  daemon.stored = 200;
  await daemon.open();
  daemon.tail.hold('paused', true);
  daemon.stored += 400;
  daemon.publish();
  daemon.delivered = 200;
  daemon.tail.setVisible(0, 10);
  daemon.tail.markStale(['evt_200']);
  void daemon.tail.refresh();
  await daemon.respond();
  expect(daemon.tail.read().rows[0]).toMatchObject({ seq: 200, status: 'succeeded' });
});

it('updates the states of held events while catching up', async () => {
  const daemon = new FakeDaemon();
  await daemon.open();
  daemon.tail.hold('paused', true);
  daemon.stored = 20;
  daemon.publish();
  daemon.delivered = 20;
  daemon.reconnect();
  await daemon.respond();
  daemon.tail.hold('paused', false);
  expect(new Set(daemon.tail.read().rows.map(({ status }) => status))).toEqual(new Set(['succeeded']));
});

it('drops rows that no longer match the status filter, once the list is not on hold', async () => {
  const daemon = new FakeDaemon({ status: 'pending' });
  daemon.stored = 20;
  await daemon.open();
  daemon.tail.hold('selected', true);
  daemon.delivered = 15;
  await daemon.open();
  expect(daemon.tail.read().rows).toHaveLength(20);
  daemon.tail.hold('selected', false);
  await daemon.respond();
  expect(daemon.tail.read().rows.map(({ seq }) => seq)).toEqual([20, 19, 18, 17, 16]);
});
