import { pino } from 'pino';
import type { OwnEvent } from '../../src/relay/events/own-events';
import { readSettings, Retention } from '../harness/built';
import { draft, result, ScratchJournal, START, to } from '../store/scratch-journal';

const LIMIT = 2_000_000;
const DAY_MS = 86_400_000;

let scratch: ScratchJournal;
const told: OwnEvent[] = [];

beforeEach(async () => {
  scratch = await ScratchJournal.open();
  told.length = 0;
});

afterEach(() => scratch.remove());

async function runRetention(environment: Record<string, string>) {
  const settings = readSettings({
    COPILOT_BASE_URL: 'https://copilot.example',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'secret',
    ...environment,
  });
  const own = { record: async (event: OwnEvent) => told.push(event) > 0 };
  const clock = { now: () => scratch.now };
  const log = pino({ level: 'silent' });
  const retention = new Retention(settings, scratch.journal, own as never, clock, log);
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
});
