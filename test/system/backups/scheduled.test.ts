import { mkdirSync, mkdtempSync, promises, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alertSummary } from '../../../src/contract/alert';
import { backups } from '../../../src/contract/backup';
import { pageOf } from '../../../src/contract/page';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { Switchboard } from '../../support/daemon/switchboard';
import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';

const DAY_MS = 24 * 3_600_000;
const FOREIGN = ['notes.txt', 'switchboard-0000000000-20200101T000000Z.db', 'switchboard.db'];

describe('scheduled backups', () => {
  const parent = mkdtempSync(join(tmpdir(), 'switchboard-scheduled-'));
  const folder = join(parent, 'backups');
  let switchboard: Switchboard;

  useFastIntervals(200);
  beforeAll(async () => {
    mkdirSync(folder);
    for (const name of FOREIGN) writeFileSync(join(folder, name), '');
    switchboard = await Switchboard.start({
      environment: { SWITCHBOARD_BACKUP_DIR: folder, SWITCHBOARD_BACKUP_KEEP: '2' },
    });
  });
  afterAll(async () => {
    await switchboard.end();
    rmSync(parent, { recursive: true });
  });

  const view = () => switchboard.read(backups, '/backups');
  /** Oldest first. */
  const made = () =>
    readdirSync(folder)
      .filter((name) => !FOREIGN.includes(name) && name.endsWith('.db'))
      .toSorted();
  const stuck = (first: string) => join(folder, first.replace(/T\d{6}/, 'T235959'));
  const alerts = async () =>
    (await switchboard.read(pageOf(alertSummary), '/alerts')).data.filter(({ type }) =>
      type.startsWith('relay.backup.'),
    );
  /** Waits until the next backup is complete. */
  const nextBackup = async () => {
    const before = (await view()).latest?.file;
    const isNew = async () => {
      const { latest, run } = await view();
      return latest !== null && latest.file !== before && run?.ended_at !== null;
    };
    await until('a backup is made', isNew);
  };
  /** Changes the database next to its daemon, as no program should. */
  const alter = (sql: string) => {
    const connection = new sqliteDriver(join(switchboard.dataDir, 'switchboard.db'));
    connection.pragma('busy_timeout = 5000');
    connection.exec(sql);
    connection.close();
  };

  it('begin with the first one, then follow daily, and only the oldest of their own files are removed', async () => {
    await until('the first one is made', () => made().length === 1);
    const [first] = made();
    for (let day = 2; day <= 3; day += 1) {
      switchboard.clock.move(DAY_MS);
      await nextBackup();
      // The daemon cannot remove it, and is to remove the older one after it nevertheless.
      if (day === 2) mkdirSync(stuck(first!));
    }
    await until('the oldest one is removed', () => !made().includes(first!));
    rmSync(stuck(first!), { recursive: true });
    expect(made()).toHaveLength(2);
    expect(made()).not.toContain(first);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(FOREIGN));
    const { latest, schedule } = await view();
    expect(latest!.file).toBe(join(folder, made().at(-1)!));
    expect(schedule).toMatchObject({ folder, keep: 2, interval_seconds: 86_400 });
    expect(Date.parse(schedule!.next_at)).toBeGreaterThan(switchboard.clock.now() + DAY_MS - 3_600_000);
  });

  it('raise an alert on a disk without space for them, critical once the latest is two days old', async () => {
    const full = jest
      .spyOn(promises, 'statfs')
      .mockResolvedValue({ bsize: 4_096, blocks: 1_000_000, bavail: 10 } as never);
    const before = made();
    switchboard.clock.move(DAY_MS);
    await until('the alert is raised', async () => (await alerts()).length > 0);
    expect(await alerts()).toMatchObject([
      {
        type: 'relay.backup.failed',
        severity: 'warning',
        sentence: expect.stringMatching(
          /needs about .* but only 40\.0 KiB are free .* The latest one is of /,
        ),
      },
    ]);
    switchboard.clock.move(DAY_MS);
    await until('it is critical', async () => (await alerts())[0]?.severity === 'critical');
    expect(made()).toEqual(before);
    full.mockRestore();
    switchboard.clock.move(11 * 60_000);
    await nextBackup();
    await until('the alert is resolved', async () => (await alerts()).length === 0);
  });

  it('raise an alert if their folder is missing, and are tried again once it is back', async () => {
    const kept = made();
    rmSync(folder, { recursive: true });
    await until('the alert is raised', async () => (await alerts()).length > 0);
    expect(await alerts()).toMatchObject([
      {
        type: 'relay.backup.failed',
        severity: 'critical',
        sentence: expect.stringMatching(
          /^The scheduled backup failed\. The daemon cannot write to .* \(ENOENT\)/,
        ),
        remedy: expect.stringContaining('Create or mount the folder'),
      },
    ]);
    mkdirSync(folder);
    for (const name of FOREIGN) writeFileSync(join(folder, name), '');
    switchboard.clock.move(11 * 60_000);
    await nextBackup();
    await until('the alert is resolved', async () => (await alerts()).length === 0);
    expect(made()).toHaveLength(1);
    expect(kept).not.toContain(made()[0]);
  });

  it('never remove the last one whose data is consistent', async () => {
    const [consistent] = made();
    alter('INSERT INTO dead_letter_counts(target, count) VALUES (77, 3)');
    for (let day = 1; day <= 3; day += 1) {
      switchboard.clock.move(DAY_MS);
      await nextBackup();
    }
    await until('the others are removed', () => made().length === 3);
    expect(made()[0]).toBe(consistent);
    expect(await alerts()).toMatchObject([
      { type: 'relay.backup.inconsistent', remedy: expect.stringContaining('doctor --ledger') },
    ]);
    alter('DELETE FROM dead_letter_counts WHERE target = 77');
    switchboard.clock.move(DAY_MS);
    await nextBackup();
    await until('the alert is resolved', async () => (await alerts()).length === 0);
    await until('the earlier consistent one is removed', () => made().length === 2);
    expect(made()).not.toContain(consistent);
  });
});
