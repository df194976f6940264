import { ScratchJournal, draft, to, result } from '../../support/daemon/scratch-journal';
import type { Alert } from '../../../src/relay/events/alert';
import { dirname } from 'node:path';
import { checkLedgerWhileStopped } from '../../../src/relay/diagnostics/ledger/check-ledger-while-stopped';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { pino } from 'pino';
import { RetentionWorker } from '../../../src/relay/events/retention/retention.worker';
import { EntityFloor } from '../../../src/relay/events/retention/entity-floor.service';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { PrunableEventsQuery } from '../../../src/relay/events/retention/prunable-events.query';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';

export const LIMIT = 2_000_000;
export const DAY_MS = 86_400_000;
export const GIB = 1024 ** 3;

export let scratch: ScratchJournal;
/** The simulated disk of the database. */
export const disk = {
  freeBytes: 0,
  totalBytes: 0,
  read: async () => ({ freeBytes: disk.freeBytes, totalBytes: disk.totalBytes }),
};
/** Occurrences of raised alerts, by type. */
export const raised = new Map<string, number>();
export const sentences: string[] = [];
const alerts = {
  raise: ({ type, sentence }: Alert, count: number) => {
    raised.set(type, (raised.get(type) ?? 0) + count);
    sentences.push(sentence);
  },
  resolve: () => undefined,
};

export function retentionWith(environment: Record<string, string>) {
  const settings = readSettings({
    COPILOT_BASE_URL: 'https://copilot.example',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'secret',
    ...environment,
  });
  const log = pino({ level: 'silent' });
  return new RetentionWorker(
    settings,
    scratch.journal,
    new PrunableEventsQuery(scratch.reader, scratch.clock),
    new EntityFloor(scratch.reader, scratch.journal, new EntityStatesQuery(scratch.reader)),
    disk as never,
    alerts as never,
    scratch.clock,
    new TimeBounds(scratch.clock),
    log,
  );
}

export async function runRetention(environment: Record<string, string>) {
  const retention = retentionWith(environment);
  await retention.tick();
  return retention.record;
}

/** Events of 20 kB each. Those of `open` have an unfinished delivery, those of `dead` a dead letter. */
export async function append(
  count: number,
  open: (n: number) => boolean,
  dead: (n: number) => boolean = () => false,
): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    await scratch.journal.append(draft(n, { body: Buffer.alloc(20_000, String(n)) }), to(1));
    if (!open(n)) await scratch.journal.saveResult(result(n, 1, { state: dead(n) ? 'dead' : 'succeeded' }));
  }
}

export const seqs = () =>
  scratch.rows<{ seq: number }>('SELECT seq FROM events ORDER BY seq').map(({ seq }) => seq);

/** Opens a journal on a disk whose free space tests set. */
export function useRetention(): void {
  beforeEach(async () => {
    scratch = await ScratchJournal.open();
    raised.clear();
    sentences.length = 0;
    disk.totalBytes = 100 * GIB;
    disk.freeBytes = 50 * GIB;
    scratch.exec(
      `INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at)
     VALUES (1, 'tgt_1', 'taking', 'http://127.0.0.1/', '["*"]', 1, '', 0, 0)`,
    );
  });

  /** The consistency check misses nothing that retention removed. */
  afterEach(async () => {
    await scratch.close();
    const places = { dataDir: dirname(scratch.file), databaseFile: scratch.file };
    const { findings } = await checkLedgerWhileStopped(places, scratch.clock);
    await scratch.remove();
    expect(findings).toEqual([]);
  });
}
