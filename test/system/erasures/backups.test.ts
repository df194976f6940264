import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backups } from '../../../src/contract/backup';
import { erasure, type Erasure, type ErasurePreview } from '../../../src/contract/erasure';
import { readErased } from '../../../src/relay/backups/erased-events-file';
import { HubCommands } from '../../support/daemon/hub-commands';
import { runCommand } from '../../support/daemon/run-command';
import { alterStored, queryStored } from '../../support/daemon/stored-data';
import { Switchboard } from '../../support/daemon/switchboard';
import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';

const NAME = 'Qwyzzle Vorthbakk';
const DAY_MS = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'switchboard-erasures-'));
const backups = join(folder, 'backups');
const backup = join(backups, 'monday.db');
let hub: Switchboard;
let commands: HubCommands;
let erased: string;

beforeAll(async () => {
  mkdirSync(backups);
  hub = await Switchboard.start({ environment: { SWITCHBOARD_BACKUP_DIR: backups } });
  commands = new HubCommands(hub);
  erased = await hub.emit('contact.updated', { id: 7, name: NAME });
  await hub.emit('deal.updated', { id: 1, contact_id: 7, name: 'Kept' });
  // As retention has left it.
  await alterStored(
    hub.dataDir,
    `INSERT INTO entity_floor(entity, seq, received_at, type, origin, body)
     VALUES ('deal:9', 0, 5, 'deal.updated', 'event', CAST('{"data":{"name":"Of ${NAME}"}}' AS BLOB))`,
  );
  await backUp(backup);
});
afterAll(async () => {
  await hub.end();
  rmSync(folder, { recursive: true });
});

async function backUp(file: string): Promise<void> {
  await hub.ask('/backups', { method: 'POST', json: { file } });
  await until('there is a backup', async () => {
    const { latest } = (await hub.ask('/backups')).json as Backups;
    return latest?.file === file;
  });
}

const erase = (...words: string[]) => commands.run(['erase', 'entity', 'contact:7', ...words]);

describe('switchboard erase', () => {
  it('shows first what it would erase, and does nothing without a reason or a yes', async () => {
    const preview = JSON.parse((await erase('--dry-run', '--json')).out) as ErasurePreview;
    expect(preview).toMatchObject({ events: 1, mentioned: null, states: 0 });
    const mentions = await erase('--mentions', '{"data.contact_id": 7}', '--dry-run');
    expect(mentions.out).toMatch(/events +1\nmentioned +1\n/);
    expect(await erase('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('--reason') });
    expect((await erase('--reason', 'asked')).code).toBe(2);
    expect((await hub.event(erased)).erased_at).toBeNull();
    expect((await commands.run(['erase', 'event', erased, '--dry-run'], 'operate')).code).toBe(77);
  });

  it('erases it, says what stays, and is recorded in the audit log', async () => {
    const mentions = JSON.stringify({ 'data.name': { $contains: 'Vorthbakk' } });
    const { code, out } = await erase('--mentions', mentions, '--reason', 'asked to be forgotten', '--yes');
    expect(code).toBe(0);
    const id = /ers_\w+/.exec(out)![0];
    expect(out).toContain('Events of contact:7 that arrive later are stored as usual.');
    await until('it is erased', async () => (await hub.read(erasure, `/erasures/${id}`)).state !== 'erasing');
    expect((await commands.run(['events', 'body', erased])).code).toBe(66);
    const { data } = (await hub.ask('/audit?action=entity.erase')).json as {
      data: { subject: { id: string } }[];
    };
    expect(data.map(({ subject }) => subject.id)).toEqual([id]);
    const { data: told } = (await hub.ask('/events?type=relay.events.erased')).json as {
      data: { id: string }[];
    };
    expect((await hub.ask(`/events/${told[0]!.id}/body`)).text).toContain(erased);
    const again = await commands.run(['erase', 'event', erased, '--dry-run']);
    expect(again.code).toBe(66);
  });
});

const stored = (dataDir: string) =>
  readdirSync(dataDir)
    .map((name) => readFileSync(join(dataDir, name)).toString('latin1'))
    .join('');

interface Restored {
  erased: number | null;
  notes: { topic: string; sentence: string }[];
}

async function restore(from: string, ...words: string[]): Promise<Restored & { dataDir: string }> {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  copyFileSync(join(hub.dataDir, 'secret.key'), join(dataDir, 'secret.key'));
  const { code, out, err } = await runCommand(dataDir, ['restore', from, '--json', ...words]);
  if (code !== 0) throw new Error(err);
  return { ...(JSON.parse(out) as Restored), dataDir };
}

describe('a restore of a backup from before an erasure', () => {
  it('erases the same events again, by the file beside it, and leaves nothing of them', async () => {
    expect(readErased(join(backups, 'erasures.ndjson'))).toMatchObject([
      { events: [erased], entity: 'contact:7', statesOf: ['deal:9'] },
    ]);
    const { erased: count, dataDir } = await restore(backup);
    expect(count).toBe(1);
    expect(stored(dataDir)).not.toContain('Vorthbakk');
    expect(stored(dataDir)).toContain('Kept');
    const [row] = await queryStored<Pick<Erasure, 'state' | 'events'>>(
      dataDir,
      'SELECT state, events FROM erasures',
    );
    expect(row).toEqual({ state: 'done', events: 1 });
  });

  it('leaves no hash by which repetitions of these events were recognized', async () => {
    const { dataDir } = await restore(backup);
    const hashes = `SELECT e.type FROM events e
      JOIN (SELECT seq FROM identities UNION ALL SELECT seq FROM recent_identities) i ON i.seq = e.seq
      WHERE e.type IN ('contact.updated', 'deal.updated')`;
    expect(await queryStored(dataDir, hashes)).toEqual([{ type: 'deal.updated' }]);
  });

  it('warns without that file, or is told where it is', async () => {
    const alone = join(folder, 'alone.db');
    copyFileSync(backup, alone);
    const { erased: count, notes, dataDir } = await restore(alone);
    expect(count).toBeNull();
    expect(notes[0]).toMatchObject({
      topic: 'erasures',
      sentence: expect.stringContaining('is there again'),
    });
    expect(stored(dataDir)).toContain('Vorthbakk');
    expect((await restore(alone, '--erasures', join(backups, 'erasures.ndjson'))).erased).toBe(1);
    await expect(restore(alone, '--erasures', join(folder, 'none'))).rejects.toThrow(/no file/);
  });
});

describe('a backup with an event of an entity that retention removed before the entity was erased', () => {
  useFastIntervals(50);
  const older = join(folder, 'older.db');
  const file = join(folder, 'erasures.ndjson');
  let removed: string;
  let later: string;

  beforeAll(async () => {
    await hub.end();
    hub = await Switchboard.start({ environment: { SWITCHBOARD_RETENTION_DAYS: '1' } });
    await hub.emit('deal.updated', { id: 1, name: 'Kept' });
    removed = await hub.emit('contact.updated', { id: 8, name: NAME });
    const { seq } = await hub.event(removed);
    later = await hub.emit('contact.updated', { id: 8, name: 'Later' });
    await backUp(older);
    hub.clock.move(2 * DAY_MS);
    await until('it is removed', async () => (await hub.ask(`/events/${removed}`)).status === 404);
    const json = { entity: 'contact:8', until_seq: seq, reason: 'asked for it' };
    const { id } = await hub.read(erasure, '/erasures', { method: 'POST', json });
    await until('it is erased', async () => (await hub.read(erasure, `/erasures/${id}`)).state !== 'erasing');
    copyFileSync(join(hub.dataDir, 'backups', 'erasures.ndjson'), file);
  });

  it('is restored with all events of the entity erased that a file does not limit, if they are older', async () => {
    const unlimited = join(folder, 'unlimited.ndjson');
    writeFileSync(unlimited, readFileSync(file, 'utf8').replaceAll(/"until":"\w+",/g, ''));
    const { erased: count, dataDir } = await restore(older, '--erasures', unlimited);
    expect(count).toBe(2);
    expect(stored(dataDir)).not.toMatch(/Vorthbakk|Later/);
    expect(stored(dataDir)).toContain('Kept');
  });

  it('is restored with this event erased, and not what was stored after the limit of the erasure', async () => {
    const { erased: count, dataDir } = await restore(older, '--erasures', file);
    expect(count).toBe(1);
    await hub.stop();
    for (const name of readdirSync(hub.dataDir))
      if (name !== 'secret.key') rmSync(join(hub.dataDir, name), { recursive: true });
    copyFileSync(join(dataDir, 'switchboard.db'), join(hub.dataDir, 'switchboard.db'));
    await hub.restart();
    expect(await hub.ask(`/events/${removed}/body`)).toMatchObject({ status: 410 });
    expect((await hub.ask(`/events/${later}/body`)).text).toContain('Later');
  });
});
