import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../../src/relay/ground/version';
import { Daemon } from '../../support/daemon/daemon';
import { nextVersion } from '../../support/databases/next-version';
import { runJson } from '../../support/daemon/run-command';
import { FakeCopilot } from '../../support/fakes/copilot';

describe('a database of an earlier version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-upgrade-'));
  const preload = join(folder, 'preload.cjs');
  const backup = join(folder, 'backup.db');
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    writeFileSync(preload, '');
    upstream = await FakeCopilot.start();
    const environment = { LOG_LEVEL: 'info', NODE_OPTIONS: `--require ${preload}` };
    daemon = await Daemon.start({ upstream, environment });
  });

  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const upgradesLogged = () => [...daemon.output.matchAll(/upgrading the database/g)].length;

  it('is upgraded at the start, and the log says so and how long it may take', async () => {
    await daemon.addTarget('kept', 'http://127.0.0.1:9');
    expect(upgradesLogged()).toBe(0);
    await runJson(daemon.dataDir, 'backup', backup);
    await daemon.stop();
    writeFileSync(preload, nextVersion());
    await daemon.restart();
    expect(upgradesLogged()).toBe(1);
    expect(daemon.output).toMatch(
      /"migrations":\["Colours0000009999999"\],"database_bytes":\d+,"expected_seconds":1/,
    );
    expect(daemon.output).toMatch(/"took_ms":\d+.*the database was upgraded/);
    expect(daemon.rows('SELECT name, colour FROM targets')).toEqual([{ name: 'kept', colour: 'blue' }]);
    await daemon.stop();
    await daemon.restart();
    expect(upgradesLogged()).toBe(1);
  });

  it('is then rejected by the earlier version, which does not change it', async () => {
    await daemon.stop();
    writeFileSync(preload, '');
    await expect(daemon.restart()).rejects.toThrow(/written by a newer Switchboard \(Colours0000009999999\)/);
    expect(daemon.rows('SELECT version FROM instance')).toEqual([{ version: VERSION }]);
    daemon.alterDatabase(`UPDATE instance SET version = '99.1.0'`);
    await expect(daemon.restart()).rejects.toThrow(
      `written by Switchboard 99.1.0, which is newer than this one (${VERSION}).`,
    );
    expect(daemon.rows('SELECT colour FROM targets')).toHaveLength(1);
  });

  it('can be exchanged for the backup from before the upgrade, with which the earlier version starts', async () => {
    const key = join(folder, 'secret.key');
    cpSync(join(daemon.dataDir, 'secret.key'), key);
    rmSync(daemon.dataDir, { recursive: true });
    mkdirSync(daemon.dataDir, { mode: 0o700 });
    cpSync(key, join(daemon.dataDir, 'secret.key'));
    await runJson(daemon.dataDir, 'restore', backup);
    await daemon.restart();
    expect(daemon.rows('SELECT name FROM targets')).toEqual([{ name: 'kept' }]);
    await daemon.stop();
  });

  it.each(['FirstTables1763600000000', 'Tables0000000000001'])(
    'is rejected if it has the tables of %s, from before the first release',
    async (name) => {
      daemon.alterDatabase(
        `DELETE FROM migrations; INSERT INTO migrations(timestamp, name) VALUES (${name.slice(-13)}, '${name}')`,
      );
      await expect(daemon.restart()).rejects.toThrow(
        /from before the first release.*deliveries\.open is 0 in GET \/api\/v1\/stats.*export.*empty DATA_DIR/s,
      );
    },
  );
});
