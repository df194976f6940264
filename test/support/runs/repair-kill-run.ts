import type { Repair } from '../../../src/contract/repair';
import { notStarted } from '../../../src/relay/repairs/repair-row';
import type { Daemon } from '../daemon/daemon';
import type { DaemonStore } from '../daemon/daemon-store';
import { until } from '../until';

/** Longer than a lease, and the start of what leads, on a busy machine. */
const WITHIN_MS = 120_000;
const ID = 'rpr_01arz3ndektsv4rrffq69g5fav';

/** Kills the daemon again and again while it applies a repair of missing deals. */
export async function runRepairKills(daemon: Daemon, store: DaemonStore, deals: number, kills: number) {
  await daemon.kill();
  await insertRepair(store, deals);
  await daemon.restart();
  const appended = async () =>
    (
      await store.rows<{ count: number }>(
        `SELECT CAST(count(*) AS INTEGER) AS count FROM events WHERE signature_value = '${ID}'`,
      )
    )[0]!;
  for (let n = 1; n <= kills; n += 1) {
    const goal = (n * deals) / (kills + 1);
    await until(`${goal} events are appended`, async () => (await appended()).count >= goal, WITHIN_MS);
    await daemon.kill();
    await daemon.restart();
  }
  let repair!: Repair;
  const isDone = async () => {
    // Nobody leads until the lease of the killed one is over.
    const { status, body } = await daemon.request('GET', `/repairs/${ID}`);
    repair = body as Repair;
    return status === 200 && repair.state === 'done';
  };
  await until('the repair is done', isDone, WITHIN_MS);
  expect(repair.applied).toEqual({ items: deals, events: deals, total: deals });
  const repeated = `SELECT entity FROM events WHERE signature_value = '${ID}' GROUP BY entity HAVING count(*) > 1`;
  expect(await store.rows(repeated)).toEqual([]);
  expect((await appended()).count).toBe(deals);
  expect(
    (await store.rows<{ outcome: string }>('SELECT DISTINCT outcome FROM repair_items')).map(
      ({ outcome }) => outcome,
    ),
  ).toEqual(['stored']);
}

/** One that is to be applied, so that nobody has to wait until notifications have settled. */
async function insertRepair(store: DaemonStore, deals: number): Promise<void> {
  const progress = notStarted();
  Object.assign(progress.read, { low_seq: 0, high_seq: 0 });
  progress.applied = { items: 0, events: 0, total: deals };
  const now = Date.now();
  await store.exec(
    `INSERT INTO repairs(id, purpose, state, outage_ids, requests_per_minute, progress, read_at, actions, events_per_second, created_at)
     VALUES ('${ID}', 'repair', 'applying', '[]', 60, '${JSON.stringify(progress)}', ${now}, '["missing"]', 300, ${now})`,
  );
  const items = Array.from({ length: deals }, (_, id) => {
    const record = Buffer.from(JSON.stringify({ id, name: `Deal ${id}`, status_id: 1 })).toString('hex');
    return `((SELECT number FROM repairs), 'deal:${id}', 'missing', ${store.bytes(record)})`;
  });
  await store.exec(`INSERT INTO repair_items(repair, entity, action, record) VALUES ${items.join(', ')}`);
}
