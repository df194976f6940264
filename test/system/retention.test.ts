import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import type { OwnEvent } from '../../src/relay/events/own-events';
import { checkStoppedLedger, readSettings, Retention, TimeBounds } from '../harness/built';
import { draft, result, ScratchJournal, START, to } from '../store/scratch-journal';

const LIMIT = 2_000_000;
const DAY_MS = 86_400_000;

let scratch: ScratchJournal;
const told: OwnEvent[] = [];
/** Stores events of our own, unless the disk is full. */
const own = {
  tells: true,
  record: async (event: OwnEvent) => {
    if (own.tells) told.push(event);
    return own.tells;
  },
};

beforeEach(async () => {
  scratch = await ScratchJournal.open();
  told.length = 0;
  own.tells = true;
  scratch.exec(
    `INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at)
     VALUES (1, 'tgt_1', 'taking', 'http://127.0.0.1/', '["*"]', 1, '', 0, 0)`,
  );
});

/** Whatever was removed, nothing of it is missed. */
afterEach(async () => {
  await scratch.shut();
  const places = { dataDir: dirname(scratch.file), databaseFile: scratch.file };
  const { findings } = await checkStoppedLedger(places, scratch.clock);
  await scratch.remove();
  expect(findings).toEqual([]);
});

function retentionWith(environment: Record<string, string>) {
  const settings = readSettings({
    COPILOT_BASE_URL: 'https://copilot.example',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'secret',
    ...environment,
  });
  const log = pino({ level: 'silent' });
  return new Retention(
    settings,
    scratch.journal,
    own as never,
    scratch.clock,
    new TimeBounds(scratch.clock),
    log,
  );
}

async function runRetention(environment: Record<string, string>) {
  const retention = retentionWith(environment);
  await retention.tick();
  return retention.record;
}

/** Events of 20 kB each, those of `open` with an unfinished delivery. */
async function append(count: number, open: (n: number) => boolean): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    await scratch.journal.append(draft(n, { body: Buffer.alloc(20_000, String(n)) }), to(1));
    if (!open(n)) await scratch.journal.settle(result(n, 1));
  }
}

const seqs = () => scratch.rows<{ seq: number }>('SELECT seq FROM events ORDER BY seq').map(({ seq }) => seq);

describe('retention', () => {
  it('by size removes the oldest that are finished, and leaves what is not', async () => {
    await append(150, (n) => n <= 10);
    const record = await runRetention({ SWITCHBOARD_RETENTION_BYTES: String(LIMIT) });
    expect(record).toMatchObject({ cancelled: 0 });
    expect(record.usedBytes).toBeLessThanOrEqual(LIMIT);
    expect(seqs().slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(seqs()).toContain(150);
    expect(told).toEqual([]);
  });

  it('by size cancels the oldest unfinished ones where nothing else is left, and tells how many', async () => {
    await append(150, () => true);
    const { cancelled, removed } = await runRetention({ SWITCHBOARD_RETENTION_BYTES: String(LIMIT) });
    expect(cancelled).toBeGreaterThan(10);
    expect(removed).toBe(cancelled);
    expect(told).toMatchObject([{ type: 'relay.retention.cancelled', data: { count: cancelled } }]);
    expect(seqs()[0]).toBe(cancelled + 1);
  });

  it('by age never removes what is unfinished, and without a limit nothing goes by size', async () => {
    await append(150, (n) => n % 2 === 0);
    scratch.now = START + 60 * DAY_MS;
    expect(await runRetention({})).toMatchObject({ removed: 75, cancelled: 0 });
    expect(seqs().every((seq) => seq % 2 === 0)).toBe(true);
  });

  it('by age takes what is older than the days, to the millisecond, and looks once an hour', async () => {
    await append(3, () => false);
    scratch.now = START + 5 * DAY_MS;
    const retention = retentionWith({ SWITCHBOARD_RETENTION_DAYS: '5' });
    await retention.tick();
    expect(seqs()).toEqual([1, 2, 3]);
    scratch.now += 3_599_999;
    await retention.tick();
    expect(seqs()).toEqual([1, 2, 3]);
    scratch.now += 1;
    await retention.tick();
    expect(seqs()).toEqual([3]);
  });

  it('by age tries again what the disk refused at its next look, not in an hour', async () => {
    await append(3, () => false);
    scratch.now = START + 60 * DAY_MS;
    scratch.exec(`CREATE TRIGGER refused BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    const retention = retentionWith({});
    await retention.tick();
    expect(seqs()).toEqual([1, 2, 3]);
    scratch.exec('DROP TRIGGER refused');
    scratch.now += 60_000;
    await retention.tick();
    expect(seqs()).toEqual([3]);
  });

  it('with no days keeps everything', async () => {
    await append(3, () => false);
    scratch.now = START + 4_000 * DAY_MS;
    expect(await runRetention({ SWITCHBOARD_RETENTION_DAYS: '0' })).toMatchObject({ removed: 0 });
    expect(seqs()).toEqual([1, 2, 3]);
  });

  it('gives the disk back what it does not need again soon', async () => {
    await append(300, () => false);
    await scratch.reopen();
    const before = statSync(scratch.file).size;
    const { usedBytes } = await runRetention({ SWITCHBOARD_RETENTION_BYTES: String(LIMIT) });
    await scratch.reopen();
    expect(before).toBeGreaterThan(3 * LIMIT);
    expect(statSync(scratch.file).size).toBeLessThan(1.2 * usedBytes!);
  });

  it('tells what it cancelled as soon as that can be stored, once', async () => {
    await append(150, () => true);
    own.tells = false;
    const retention = retentionWith({ SWITCHBOARD_RETENTION_BYTES: String(LIMIT) });
    await retention.tick();
    expect(told).toEqual([]);
    own.tells = true;
    await retention.tick();
    await retention.tick();
    expect(told).toMatchObject([{ data: { count: retention.record.cancelled } }]);
  });
});
