import { entityDetail, entityList, eventChanges } from '../../../src/contract/entity';
import { eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { repair as repairSchema, type Repair } from '../../../src/contract/repair';
import type { Switchboard } from '../daemon/switchboard';
import { until } from '../until';

/** Also if there are thousands of deals. */
const READ_WITHIN_MS = 300_000;

const UPDATED_AT = '2026-03-01T00:00:00.000Z';

/** A deal that the fake Co-Pilot lists. */
export const listedDeal = (id: number, status = 1) => ({
  id,
  name: `Deal ${id}`,
  status_id: status,
  updated_at: UPDATED_AT,
});

/** Reads a baseline; time passes as soon as it only waits. */
export async function readBaseline(hub: Switchboard): Promise<Repair> {
  const json = { purpose: 'baseline', requests_per_minute: 6_000 };
  let found = await hub.read(repairSchema, '/repairs', { method: 'POST', json });
  const isRead = async () => {
    found = await hub.read(repairSchema, `/repairs/${found.id}`);
    if (found.state === 'settling') hub.clock.skip(40_000);
    return found.ended_at !== null;
  };
  await until('the baseline is read', isRead, READ_WITHIN_MS);
  return found;
}

/** Reads a baseline of so many deals, of which the hub knows one. @param target receives everything */
export async function runBaseline(hub: Switchboard, count: number, target: { hits: unknown[] }) {
  hub.upstream.deals = Array.from({ length: count }, (_, i) => listedDeal(i + 1));
  await hub.emit('deal.updated', listedDeal(1));
  await until('what was known is delivered', () => target.hits.length === 1);
  const before = await eventIds(hub);
  const { state, counts, read } = await readBaseline(hub);
  expect({ state, counts, read }).toMatchObject({
    state: 'done',
    counts: { missing: count - 1, same: 1 },
    read: { records: count, complete: true },
  });
  expect([await eventIds(hub), target.hits.length]).toEqual([before, 1]);
  const { coverage, data } = await hub.read(entityList, `/entities?kind=deal&sort=entity&limit=2`);
  expect(coverage.complete).toBe(true);
  expect(data.map(({ source }) => source)).toEqual(['event', 'baseline']);
  expect(await knownDeals(hub)).toEqual(new Set(Array.from({ length: count }, (_, i) => `deal:${i + 1}`)));
  expect(await hub.read(entityDetail, `/entities/deal:${count}`)).toMatchObject({
    record: listedDeal(count),
    coverage: { complete: true },
  });
}

/** Not by their count, which a slow machine only estimates. */
async function knownDeals(hub: Switchboard): Promise<Set<string>> {
  const known = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor && `&cursor=${cursor}`;
    const page = await hub.read(entityList, `/entities?kind=deal&limit=200${more}`);
    for (const { entity } of page.data) known.add(entity);
    cursor = page.next_cursor;
  }
  return known;
}

/** Of all events but system events. */
const eventIds = async (hub: Switchboard) =>
  (await hub.read(pageOf(eventSummary), '/events?origin=not_switchboard')).data.map(({ id }) => id);

export const changesOf = (hub: Switchboard, event: string) =>
  hub.read(eventChanges, `/events/${event}/changes`);
