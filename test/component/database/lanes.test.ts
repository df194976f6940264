import * as fc from 'fast-check';
import type { DeliveryResult, DueDelivery } from '../../../src/relay/database/journal';
import { draft, result, ScratchJournal, START } from './scratch-journal';

const LATER = START + 3_600_000;

/** Less than results wait for company, and more than a commit takes. */
const COMPANY_MS = 8;

interface Row {
  key: string;
  state: string;
  due: number | null;
}

const replayed = (seq: number) => ({
  seq,
  target: 1,
  trigger: 'replay' as const,
  replayId: 'rpl_1',
  at: START,
  lane: 'rpl_1/deal:1',
});

async function took(settling: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await settling();
  return performance.now() - began;
}

describe('lanes in the journal', () => {
  let scratch: ScratchJournal;
  let made: number;

  beforeEach(async () => {
    made = 0;
    scratch = await ScratchJournal.open();
  });

  afterEach(() => scratch.remove());

  /** Events, one for each lane given, in this order. */
  const appendTo = (...lanes: (string | null)[]) =>
    Promise.all(
      lanes.map((lane) => {
        made += 1;
        return scratch.journal.append(draft(made), () => [{ target: 1, lane }]);
      }),
    );
  const through = (seq: number, lane: string, parts: Partial<DeliveryResult> = {}) =>
    scratch.journal.settle(result(seq, 1, { lane, ...parts }));
  const cancel = (seq: number) =>
    scratch.journal.change([], [], [{ key: { seq, target: 1, n: 0 }, note: 'Not wanted.', at: LATER }]);
  const rows = () =>
    scratch.rows<Row>(
      `SELECT event_seq || '.' || n AS key, state, due_at AS due FROM deliveries ORDER BY event_seq, n`,
    );
  const states = () => rows().map(({ key, state }) => `${key} ${state}`);
  const promoted = () => scratch.groups.flatMap((group) => group.promoted.map(({ seq, n }) => `${seq}.${n}`));

  it('let only the first of a lane be due; the others wait, and other lanes do not', async () => {
    await appendTo('deal:1', 'deal:1', 'deal:2', null, 'deal:1', null);
    expect(rows()).toEqual([
      { key: '1.0', state: 'pending', due: START },
      { key: '2.0', state: 'waiting', due: null },
      { key: '3.0', state: 'pending', due: START },
      { key: '4.0', state: 'pending', due: START },
      { key: '5.0', state: 'waiting', due: null },
      { key: '6.0', state: 'pending', due: START },
    ]);
    // Over groups and over a new start just as within one.
    await scratch.reopen();
    await appendTo('deal:2');
    expect(states().at(-1)).toBe('7.0 waiting');
  });

  it('are those of one target: another one\u2019s are no concern of theirs', async () => {
    for (const target of [1, 2])
      await scratch.journal.append(draft(target), () => [{ target, lane: 'deal:1' }]);
    expect(states()).toEqual(['1.0 pending', '2.0 pending']);
  });

  it('let the next one come forward in the transaction in which the first is through', async () => {
    await appendTo('deal:1', 'deal:1', 'deal:1');
    scratch.now += 5;
    await through(1, 'deal:1');
    expect(rows()).toEqual([
      { key: '1.0', state: 'succeeded', due: null },
      { key: '2.0', state: 'pending', due: START + 5 },
      { key: '3.0', state: 'waiting', due: null },
    ]);
    expect(promoted()).toEqual(['2.0']);
    expect(scratch.groups.at(-1)).toMatchObject({ settled: [{ key: { seq: 1 } }], promoted: [{ seq: 2 }] });
    const [next] = await scratch.journal.takeDue(1, 0, LATER, 10);
    expect(next).toMatchObject({ key: { seq: 2 }, lane: 'deal:1' });
  });

  it('have a result on disk at once where something waits behind it; any other waits a little for company', async () => {
    await appendTo(...Array.from({ length: 21 }, () => 'deal:1'), ...Array.from({ length: 20 }, () => null));
    const awaited: number[] = [];
    for (let seq = 1; seq <= 20; seq += 1) awaited.push(await took(() => through(seq, 'deal:1')));
    const alone = [await took(() => through(21, 'deal:1'))];
    for (let seq = 22; seq <= 41; seq += 1)
      alone.push(await took(() => scratch.journal.settle(result(seq, 1))));
    // A busy machine makes any of them slow, none of them quick.
    expect(Math.min(...awaited)).toBeLessThan(COMPANY_MS);
    expect(Math.min(...alone)).toBeGreaterThan(COMPANY_MS);
  });

  it('tell what comes next in one of them, with its event, and nothing of the others', async () => {
    await appendTo('deal:1', 'deal:2', 'deal:1', 'deal:1');
    const { journal } = scratch;
    const [head] = await journal.takeDue(1, 0, LATER, 1);
    expect(await journal.readSuccessor(head!)).toEqual({
      key: { seq: 3, target: 1, n: 0 },
      class: 0,
      lane: 'deal:1',
      attempts: 0,
      spared: 0,
      createdAt: START,
      trigger: 'live',
      replayId: null,
      event: await journal.readEvent(3),
    });
    await cancel(3);
    expect(await journal.readSuccessor(head!)).toMatchObject({ key: { seq: 4 } });
    await cancel(4);
    expect(await journal.readSuccessor(head!)).toBeNull();
    expect(await journal.readSuccessor({ ...head!, lane: null })).toBeNull();
  });

  it('stay as they are while the first is tried again', async () => {
    await appendTo('deal:1', 'deal:1');
    await through(1, 'deal:1', { state: 'retrying', dueAt: START + 5_000 });
    expect(states()).toEqual(['1.0 retrying', '2.0 waiting']);
    expect(promoted()).toEqual([]);
  });

  it('go on behind one that died', async () => {
    await appendTo('deal:1', 'deal:1');
    await through(1, 'deal:1', { state: 'dead' });
    expect(states()).toEqual(['1.0 dead', '2.0 pending']);
  });

  it('stop behind one that died where that is wanted, for what comes later too, until it is discarded', async () => {
    await appendTo('deal:1', 'deal:1', 'deal:2');
    await through(1, 'deal:1', { state: 'dead', stopsLane: true });
    await appendTo('deal:1');
    await scratch.reopen();
    await appendTo('deal:1');
    expect(states()).toEqual(['1.0 dead', '2.0 waiting', '3.0 pending', '4.0 waiting', '5.0 waiting']);
    await scratch.journal.prune({ seqs: [1, 2, 3, 4], forgetBefore: null });
    expect(scratch.count('events')).toBe(5);

    const key = { seq: 1, target: 1, n: 0 };
    scratch.now = LATER;
    const { concluded } = await scratch.journal.change([], [], [{ key, note: 'Not wanted.', at: LATER }]);
    expect(concluded).toEqual(['dead']);
    expect(rows().slice(0, 2)).toEqual([
      { key: '1.0', state: 'cancelled', due: null },
      { key: '2.0', state: 'pending', due: LATER },
    ]);
  });

  it('let a delivery that is made in place of the one that stopped them go before all others', async () => {
    await appendTo('deal:1', 'deal:1');
    await through(1, 'deal:1', { state: 'dead', stopsLane: true });
    const { scheduled } = await scratch.journal.change(
      [['UPDATE deliveries SET settled_at = ? WHERE event_seq = 1 AND n = 0', [LATER]]],
      [{ seq: 1, target: 1, trigger: 'manual', replayId: null, at: LATER, lane: 'deal:1' }],
    );
    expect(scheduled).toEqual([{ seq: 1, target: 1, n: 1 }]);
    expect(states()).toEqual(['1.0 dead', '1.1 pending', '2.0 waiting']);
    await scratch.journal.settle({
      ...result(1, 1, { lane: 'deal:1' }),
      key: { seq: 1, target: 1, n: 1 },
    });
    expect(states()).toEqual(['1.0 dead', '1.1 succeeded', '2.0 pending']);
  });

  it('close up where one of those that wait, or the first, is cancelled', async () => {
    await appendTo('deal:1', 'deal:1', 'deal:1');
    await cancel(2);
    expect(states()).toEqual(['1.0 pending', '2.0 cancelled', '3.0 waiting']);
    await cancel(1);
    expect(states()).toEqual(['1.0 cancelled', '2.0 cancelled', '3.0 pending']);
  });

  it('are apart for a replay, and ordered within it', async () => {
    await appendTo('deal:1', 'deal:1');
    await scratch.journal.change([], [replayed(1), replayed(2)]);
    expect(states()).toEqual(['1.0 pending', '1.1 pending', '2.0 waiting', '2.1 waiting']);
    await scratch.journal.settle({
      ...result(1, 1, { lane: 'rpl_1/deal:1' }),
      key: { seq: 1, target: 1, n: 1 },
    });
    expect(states()).toEqual(['1.0 pending', '1.1 succeeded', '2.0 waiting', '2.1 pending']);
  });

  it('promote by one look at their index, however many wait', async () => {
    await Promise.all(Array.from({ length: 5_000 }, () => appendTo('deal:1')));
    const plan = scratch.rows<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT event_seq, target_id, n FROM deliveries INDEXED BY deliveries_lane
         WHERE target_id = 1 AND lane = 'deal:1' AND settled_at IS NULL ORDER BY event_seq, n LIMIT 1`,
    );
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH deliveries USING COVERING INDEX deliveries_lane (target_id=? AND lane=?)',
    ]);
    // Nothing of what waits is in the way of those who look for what is due.
    expect(await scratch.journal.takeDue(1, 0, LATER, 100)).toHaveLength(1);
    const statesNow = () =>
      scratch.rows<{ state: string; count: number }>(
        'SELECT state, count(*) AS count FROM deliveries GROUP BY state ORDER BY state',
      );
    await through(1, 'deal:1');
    expect(statesNow()).toEqual([
      { state: 'pending', count: 1 },
      { state: 'succeeded', count: 1 },
      { state: 'waiting', count: 4_998 },
    ]);
  });

  it('never have two at the head, nor wait behind nobody, whatever happens to them', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('append' as const), lane: fc.constantFrom('a', 'b', null) }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('settle' as const),
          as: fc.constantFrom('succeeded', 'retrying', 'dead', 'stopped'),
          pick: fc.nat(),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick: fc.nat() }) },
    );
    let target = 100;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        // A target of its own for each run stands for a database of its own.
        target += 1;
        const seqs: number[] = [];
        for (const one of steps) {
          if (one.do === 'append') {
            made += 1;
            const outcome = await scratch.journal.append(draft(made), () => [{ target, lane: one.lane }]);
            if (outcome.status === 'accepted') seqs.push(outcome.seq);
          } else if (one.do === 'settle') {
            const due = [0, 1] as const;
            const all = (
              await Promise.all(due.map((ofClass) => scratch.journal.takeDue(target, ofClass, LATER, 100)))
            ).flat();
            const chosen = all[one.pick % Math.max(1, all.length)];
            if (chosen !== undefined) await settleAs(chosen, one.as);
          } else if (seqs.length > 0) {
            const key = { seq: seqs[one.pick % seqs.length]!, target, n: 0 };
            await scratch.journal.change([], [], [{ key, note: 'Not wanted.', at: LATER }]);
          }
          expectLanesWhole(target);
        }
      }),
      { numRuns: 30 },
    );
  });

  const settleAs = (due: DueDelivery, as: 'succeeded' | 'retrying' | 'dead' | 'stopped') =>
    scratch.journal.settle({
      ...result(due.key.seq, due.key.target, { number: due.attempts + 1 }),
      lane: due.lane,
      state: as === 'stopped' ? 'dead' : as,
      stopsLane: as === 'stopped' && due.lane !== null,
      dueAt: as === 'retrying' ? START : null,
    });

  /** In each lane with something open exactly one is not waiting, and it is the first. */
  const expectLanesWhole = (target: number) => {
    const open = scratch.rows<{ lane: string; state: string }>(
      `SELECT lane, state FROM deliveries WHERE target_id = ? AND lane IS NOT NULL AND settled_at IS NULL
       ORDER BY lane, event_seq, n`,
      target,
    );
    for (const lane of new Set(open.map((row) => row.lane))) {
      const [head, ...others] = open.filter((row) => row.lane === lane).map(({ state }) => state);
      expect(['pending', 'retrying', 'dead']).toContain(head);
      expect(others.filter((state) => state !== 'waiting')).toEqual([]);
    }
    expect(
      scratch.rows(
        `SELECT * FROM deliveries WHERE state = 'waiting' AND (lane IS NULL OR due_at IS NOT NULL)`,
      ),
    ).toEqual([]);
  };
});
