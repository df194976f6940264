import { pino } from 'pino';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { UnusedRecordsWorker } from '../../../src/relay/diagnostics/unused-records.worker';
import { draft, result, ScratchJournal, START, to } from '../../support/daemon/scratch-journal';

const DAY_MS = 86_400_000;

describe('unreferenced records', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.openWithThreads();
  });

  afterEach(() => scratch.remove());

  const run = (retentionDays: number) => {
    const settings = { retentionDays } as never;
    const bounds = new TimeBounds(scratch.clock);
    const log = pino({ level: 'silent' });
    return new UnusedRecordsWorker(settings, scratch.reader, scratch.journal, bounds, log).tick();
  };
  const numbersIn = (table: string) =>
    scratch
      .rows<{ number: number }>(`SELECT number FROM ${table} ORDER BY number`)
      .map(({ number }) => number);
  const addReplay = (number: number, endedAt: number | null) =>
    scratch.exec(`INSERT INTO replays(number, id, state, filter, rate, until_seq, position, total, created_at, ended_at)
      VALUES (${number}, 'rpl_${number}', 'done', '{}', '"as_fast_as_allowed"', 1, 1, 1, 0, ${endedAt})`);
  const addTarget = (number: number, deletedAt: number | null) =>
    scratch.exec(`INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at, deleted_at)
      VALUES (${number}, 'tgt_${number}', 'target ${number}', 'http://127.0.0.1/', '[]', 1, '', 0, 0, ${deletedAt})`);

  it('are removed once they ended longer ago than the retention period', async () => {
    for (let number = 1; number <= 250; number += 1) addReplay(number, START);
    addReplay(251, START + 1);
    addReplay(252, null);
    for (const [number, endedAt] of [START, START + 1, null].entries())
      scratch.exec(`INSERT INTO delivery_jobs(number, id, action, selection, state, total, done, until_seq, created_at, ended_at)
        VALUES (${number + 1}, 'job_${number}', 'retry', '{}', 'done', 1, 1, 1, 0, ${endedAt})`);
    addTarget(1, START);
    addTarget(2, START + 1);
    addTarget(3, null);
    scratch.exec('INSERT INTO dead_letter_counts(target, count) VALUES (1, 0), (3, 0)');
    scratch.clock.time = START + 30 * DAY_MS + 1;

    await run(0);
    expect(numbersIn('replays').length).toBe(252);
    await run(30);
    expect(numbersIn('replays')).toEqual([251, 252]);
    expect(numbersIn('delivery_jobs')).toEqual([2, 3]);
    expect(numbersIn('targets')).toEqual([2, 3]);
    expect(scratch.rows('SELECT target FROM dead_letter_counts')).toEqual([{ target: 3 }]);
  });

  it('of expressions are removed with the events that they made bodies of', async () => {
    await scratch.journal.append(draft(1), to());
    scratch.clock.time = START + 40 * DAY_MS;
    await scratch.journal.append(draft(2, { receivedAt: START + 1 }), to());
    scratch.exec(`INSERT INTO target_transforms(target, version, name, language, expression, content_type, replaced_at)
      VALUES (1, 1, 'one', 'jsonata', '1', 'application/json', ${START})`);
    await run(30);
    expect(numbersIn('target_transforms')).toEqual([1]);
    await scratch.journal.prune({ seqs: [1], removeIdentitiesBefore: null });
    await run(30);
    expect(numbersIn('target_transforms')).toEqual([]);
  });

  it('are kept while one of their deliveries is stored', async () => {
    addTarget(1, START);
    addReplay(1, START);
    await scratch.journal.append(draft(1), to(1));
    const replayed = { seq: 1, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START } as const;
    await scratch.journal.change({ schedule: [replayed] });
    scratch.clock.time = START + 31 * DAY_MS;
    await run(30);
    expect([numbersIn('replays'), numbersIn('targets')]).toEqual([[1], [1]]);

    await scratch.journal.saveResult(result(1, 1));
    await scratch.journal.append(draft(2), to());
    await scratch.journal.prune({
      seqs: [1],
      removeIdentitiesBefore: null,
      cancel: { note: 'No room.', at: START },
    });
    await run(30);
    expect([numbersIn('replays'), numbersIn('targets')]).toEqual([[], []]);
  });
});
