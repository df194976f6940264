import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Alert } from '../../../src/relay/events/alert';
import { EntityFloor } from '../../../src/relay/events/retention/entity-floor.service';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { PrunableEventsQuery } from '../../../src/relay/events/retention/prunable-events.query';
import { RetentionWorker } from '../../../src/relay/events/retention/retention.worker';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';

const LIMIT = 2_000_000;
const DAY_MS = 86_400_000;

const SETTINGS = {
  COPILOT_BASE_URL: 'https://copilot.example',
  COPILOT_CLIENT_ID: 'client',
  COPILOT_CLIENT_SECRET: 'secret',
  SWITCHBOARD_RETENTION_BYTES: String(LIMIT),
};

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

onEachEngine('a limit of the size', (open) => {
  let scratch: ScratchStore;
  /** Occurrences of raised alerts, by type. */
  const raised = new Map<string, number>();
  const alerts = {
    raise: ({ type }: Alert, count = 1) => void raised.set(type, (raised.get(type) ?? 0) + count),
    resolve: (type: string) => void raised.delete(type),
  };

  beforeEach(async () => {
    scratch = await open();
    raised.clear();
    await scratch.exec(
      `INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at)
       VALUES (1, 'tgt_1', 'taking', 'http://127.0.0.1/', '["*"]', 1, '', 0, 0)`,
    );
  });
  afterEach(() => scratch.remove());

  const startRetention = () =>
    new RetentionWorker(
      readSettings(SETTINGS),
      scratch.journal,
      new PrunableEventsQuery(scratch.reader, scratch.clock),
      new EntityFloor(scratch.reader, scratch.journal, new EntityStatesQuery(scratch.reader)),
      { read: async () => null } as never,
      alerts as never,
      scratch.clock,
      new TimeBounds(scratch.clock),
      pino({ level: 'silent' }),
    );

  /** Events of 20 kB each, which are delivered, except those of `open` and those of `dead`. */
  async function append(
    count: number,
    isOpen: (n: number) => boolean,
    isDead: (n: number) => boolean = () => false,
  ): Promise<void> {
    const each = Array.from({ length: count }, (_, i) => i + 1);
    for (const n of each) await scratch.journal.append(draft(n, { body: randomBytes(20_000) }), to(1));
    const finished = each.filter((n) => !isOpen(n));
    const state = (n: number) => (isDead(n) ? 'dead' : 'succeeded');
    await Promise.all(finished.map((n) => scratch.journal.saveResult(result(n, 1, { state: state(n) }))));
  }

  const seqs = async () =>
    (await scratch.rows<{ seq: number }>('SELECT seq FROM events ORDER BY seq')).map(({ seq }) => seq);

  it('removes the oldest finished events until it is kept, no dead letters, and says how many', async () => {
    await append(
      150,
      (n) => n <= 5,
      (n) => n > 5 && n <= 10,
    );
    const retention = startRetention();
    await retention.tick();
    const { removed, usedBytes, deadLetters, cancelled } = retention.record;
    expect({ deadLetters, cancelled }).toEqual({ deadLetters: 0, cancelled: 0 });
    expect(usedBytes).toBeLessThanOrEqual(LIMIT);
    expect(usedBytes).toBeGreaterThan(LIMIT * 0.9 - 25 * 26_000);
    const left = await seqs();
    expect(left.slice(0, 10)).toEqual(upTo(10));
    expect(left).toHaveLength(150 - removed);
    expect(left.slice(10)).toEqual(Array.from({ length: left.length - 10 }, (_, i) => 161 - left.length + i));
    expect([...raised]).toEqual([['relay.retention.removed_early', removed]]);
    // Freed space is used again, and does not count.
    await retention.tick();
    await startRetention().tick();
    expect(await seqs()).toEqual(left);
  });

  it('cancels the oldest unfinished deliveries if nothing else is left, and only as many as necessary', async () => {
    await append(150, () => true);
    const retention = startRetention();
    await retention.tick();
    const { cancelled, removed } = retention.record;
    expect(cancelled).toBeGreaterThan(10);
    expect(cancelled).toBeLessThan(110);
    expect(removed).toBe(cancelled);
    expect(Object.fromEntries(raised)).toEqual({
      'relay.retention.removed_early': cancelled,
      'relay.retention.cancelled': cancelled,
    });
    expect((await seqs())[0]).toBe(cancelled + 1);
  });

  it('does not keep events from being removed by age if it fails', async () => {
    await append(3, () => false);
    scratch.clock.time = START + 60 * DAY_MS;
    const { journal } = scratch;
    journal.shrink = () => Promise.reject(new Error('The size is unknown.'));
    await startRetention().tick();
    expect(await seqs()).toEqual([3]);
  });

  it('removes no more, and raises an alert, if that does not reduce the size, or nothing is left', async () => {
    const { journal } = scratch;
    await Promise.all(upTo(700).map((n) => journal.append(draft(n), to())));
    const [prune, shrink] = [journal.prune.bind(journal), journal.shrink.bind(journal)];
    const size = { usedBytes: 2 * LIMIT, freeBytes: 0 };
    journal.prune = async (step) => ({ ...(await prune(step)), size });
    journal.shrink = async () => size;
    const retention = startRetention();
    await retention.tick();
    expect(retention.record.removed).toBe(500);
    await retention.tick();
    expect(retention.record.removed).toBe(500);
    expect(raised.get('relay.retention.too_large')).toBe(1);
    // It has grown since, and is tried again.
    size.usedBytes += 0.06 * LIMIT;
    await retention.tick();
    await retention.tick();
    expect(retention.record.removed).toBe(699);
    expect(raised.get('relay.retention.too_large')).toBe(2);

    await scratch.exec(`DELETE FROM events WHERE seq < 690`);
    const second = startRetention();
    await second.tick();
    await second.tick();
    expect(raised.get('relay.retention.too_large')).toBe(3);
    Object.assign(journal, { prune, shrink });
    await second.tick();
    expect(raised.has('relay.retention.too_large')).toBe(false);
  });
});
