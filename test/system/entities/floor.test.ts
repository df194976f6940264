import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backups } from '../../../src/contract/backup';
import { entityList } from '../../../src/contract/entity';
import { erasure, type Erasure } from '../../../src/contract/erasure';
import { runCommand } from '../../support/daemon/run-command';
import { Switchboard } from '../../support/daemon/switchboard';
import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';

useFastIntervals(50);

const DAY_MS = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'switchboard-floor-'));
const backup = join(folder, 'backup.db');
const erasures = join(folder, 'elsewhere.ndjson');
const environment = { SWITCHBOARD_RETENTION_DAYS: '1' };
let hub: Switchboard;
let removed: string;

beforeAll(async () => {
  hub = await Switchboard.start({ environment });
  removed = await hub.emit('deal.updated', { id: 1, name: 'Untouched' });
  await hub.emit('contact.updated', { id: 7, name: 'To be forgotten' });
  hub.clock.move(2 * DAY_MS);
  await hub.emit('deal.updated', { id: 2, name: 'New' });
  await until('the event is removed', async () => (await hub.ask(`/events/${removed}`)).status === 404);
});
afterAll(async () => {
  await hub.end();
  rmSync(folder, { recursive: true });
});

const list = () => hub.read(entityList, '/entities?sort=entity');
const states = async () =>
  (await list()).data.map(({ entity, source, retained, record }) => [
    entity,
    source,
    retained,
    record['name'],
  ]);

const FORGOTTEN = ['contact:7', 'floor', false, 'To be forgotten'];
const OTHERS = [
  ['deal:1', 'floor', false, 'Untouched'],
  ['deal:2', 'event', true, 'New'],
];

/** Puts the backup into the place of the hub. */
async function restore(...words: string[]): Promise<void> {
  await hub.stop();
  for (const name of readdirSync(hub.dataDir))
    if (name !== 'secret.key') rmSync(join(hub.dataDir, name), { recursive: true });
  expect(await runCommand(hub.dataDir, ['restore', backup, ...words])).toMatchObject({ code: 0 });
  await hub.restart(environment);
}

describe('an entity whose events were removed for their age', () => {
  it('is listed in its last state, as of the horizon and later', async () => {
    expect(await states()).toEqual([FORGOTTEN, ...OTHERS]);
    const { horizon } = await list();
    expect(await hub.ask(`/entities?as_of_seq=${horizon.seq}`)).toMatchObject({ status: 200 });
    expect(await hub.ask(`/entities?as_of_seq=${horizon.seq - 1}`)).toMatchObject({
      status: 422,
      json: {
        code: 'as_of_before_horizon',
        remedy: expect.stringContaining(`as_of_seq=${horizon.seq} or later`),
      },
    });
  });

  it('is listed in the same state after a restore, unless it was erased since the backup', async () => {
    await hub.ask('/backups', { method: 'POST', json: { file: backup } });
    await until('there is a backup', async () => {
      const { latest } = (await hub.ask('/backups')).json as Backups;
      return latest?.file === backup;
    });
    const before = await list();
    const json = { entity: 'contact:7', until_seq: before.as_of.seq, reason: 'asked for it' };
    const { id } = (await hub.ask('/erasures', { method: 'POST', json })).json as Erasure;
    const isErased = async () => (await hub.read(erasure, `/erasures/${id}`)).state !== 'erasing';
    await until('it is erased', isErased);
    expect(await states()).toEqual(OTHERS);
    copyFileSync(join(hub.dataDir, 'backups', 'erasures.ndjson'), erasures);

    await restore('--erasures', erasures);
    expect(await states()).toEqual(OTHERS);
    expect(await hub.read(erasure, `/erasures/${id}`)).toMatchObject({ entity: 'contact:7', state: 'done' });

    await restore();
    const { data, horizon, coverage } = await list();
    expect([data, horizon, coverage]).toEqual([before.data, before.horizon, before.coverage]);
  });
});
