import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backup, Backups } from '../../../src/contract/backup';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { damage } from '../../support/daemon/damage';
import { Daemon } from '../../support/daemon/daemon';
import { runCommand, runJson } from '../../support/daemon/run-command';
import { runInProcess } from '../../support/daemon/run-in-process';
import { FakeCopilot } from '../../support/fakes/copilot';
import { until } from '../../support/until';

/** From where the built daemon serves the dashboard. */
const UI = join(__dirname, '../../../dist/ui');

/** Makes a copy slow enough to be interrupted. */
const BALLAST = `CREATE TABLE ballast(bytes);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
  INSERT INTO ballast SELECT zeroblob(1000000) FROM n`;

/**
 * The id of the process that copies (Linux, proc(5)), once it runs its program: until then, the daemon waits for it, and would
 * stop with it.
 */
async function copyingProcess(daemonPid: number): Promise<number> {
  const find = () =>
    readFileSync(`/proc/${daemonPid}/task/${daemonPid}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('backup.process'));
  await until('a process copies', () => find().length > 0);
  return Number(find()[0]);
}

describe('switchboard backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-backup-'));
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemon = await Daemon.start({ upstream });
    await daemon.stop();
    daemon.alterDatabase(BALLAST);
    await daemon.restart();
  });

  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true });
  });

  const path = (name: string) => join(folder, name);
  const backUp = (name: string, ...flags: string[]) =>
    runInProcess(['backup', path(name), '--data-dir', daemon.dataDir, ...flags]);
  const view = () => daemon.get<Backups>('/backups');
  const start = (name: string) => daemon.request('POST', '/backups', { file: path(name) });
  /** Changes the database of the stopped daemon, and undoes it afterwards. */
  const whileAltered = async (alter: () => void, undo: string, work: () => Promise<void>) => {
    await daemon.stop();
    alter();
    await daemon.restart();
    try {
      await work();
    } finally {
      await daemon.stop();
      daemon.alterDatabase(undo);
      await daemon.restart();
    }
  };

  it('writes a verified copy that only its owner can read, and says up to when it is complete', async () => {
    const before = Date.now();
    const backup = await runJson<Backup>(daemon.dataDir, 'backup', path('one.db'));
    expect(backup).toMatchObject({ file: path('one.db'), findings: 0 });
    expect(Date.parse(backup.at)).toBeGreaterThanOrEqual(before);
    expect(readdirSync(folder)).toEqual(['one.db']);
    const copy = new sqliteDriver(path('one.db'), { readonly: true });
    expect(copy.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(copy.prepare('SELECT count(*) FROM ballast').pluck().get()).toBe(30);
    expect(copy.pragma('auto_vacuum', { simple: true })).toBe(2);
    copy.close();
    expect((await view()).latest).toEqual(backup);
  });

  it('says so if the daemon wrote it where nobody else sees it, as in the /tmp of a service', async () => {
    // Another file system hides the folder from the command, if this machine lets its users mount one.
    const hide = [
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      `mount -t tmpfs none ${folder} && exec "$@"`,
      'sh',
    ];
    const isPossible = spawnSync('unshare', [...hide, 'true']).status === 0;
    const wrapper = isPossible ? ['unshare', ...hide] : [];
    const { code, out, err } = await runCommand(daemon.dataDir, ['backup', path('hidden.db')], {}, wrapper);
    expect(code).toBe(0);
    expect(out).toContain('Verified.');
    expect(err.includes('hidden.db is not visible here')).toBe(isPossible);
    rmSync(path('hidden.db'));
  });

  it('never replaces a file', async () => {
    writeFileSync(path('taken'), 'mine');
    const { code, err } = await backUp('taken');
    expect(code).toBe(1);
    expect(err).toContain(`${path('taken')} exists already, and a backup never replaces a file.`);
    expect(readFileSync(path('taken'), 'utf8')).toBe('mine');
  });

  it.each([
    ['into a folder that does not exist', 'nowhere/one.db', 422, 'folder_unusable'],
    ['to a relative path', '../one.db', 422, 'path_relative'],
  ])('is rejected %s', async (_, file, status, code) => {
    const given = code === 'path_relative' ? file : path(file);
    const rejected = await daemon.request('POST', '/backups', { file: given });
    expect(rejected).toMatchObject({ status, body: { code, remedy: expect.any(String) } });
  });

  it.each(['', '/assets', '/../relay'])(
    'is rejected in the folder of the program (dist/ui%s)',
    async (below) => {
      symlinkSync(join(UI, below), path('linked'));
      for (const parent of [join(UI, below), path('linked')]) {
        const rejected = await daemon.request('POST', '/backups', { file: join(parent, 'stolen.db') });
        expect(rejected).toMatchObject({ status: 422, body: { code: 'folder_denied' } });
      }
      rmSync(path('linked'));
      expect(existsSync(join(UI, below, 'stolen.db'))).toBe(false);
    },
  );

  it('with the scope backup alone is written below DATA_DIR/backups, wherever symbolic links lead', async () => {
    const { body } = await daemon.request('POST', '/tokens', { name: 'nightly', scopes: ['backup'] });
    const { secret } = body as { secret: string };
    const allowed = join(daemon.dataDir, 'backups');
    mkdirSync(join(allowed, 'weekly'), { recursive: true });
    symlinkSync(folder, join(allowed, 'linked'));
    const ask = async (file: string) => {
      const response = await fetch(`${daemon.url}/api/v1/backups`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ file }),
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    for (const file of [path('own.db'), join(daemon.dataDir, 'own.db'), join(allowed, 'linked', 'own.db')])
      expect(await ask(file)).toEqual([422, 'folder_denied']);
    // Nor does it learn which files exist elsewhere.
    expect(await ask(daemon.databaseFile)).toEqual([422, 'folder_denied']);
    expect(await ask(join(allowed, 'weekly', 'own.db'))).toEqual([202, undefined]);
    await until('it is done', async () => (await view()).run?.state === 'done');
  });

  it('makes one backup at a time, and shows its progress', async () => {
    expect((await start('first.db')).status).toBe(202);
    expect(await start('second.db')).toMatchObject({ status: 409, body: { code: 'backup_running' } });
    await until('it is done', async () => (await view()).run?.state === 'done');
    expect((await view()).run).toMatchObject({ file: path('first.db'), progress: 1, error: null });
    expect(existsSync(path('second.db'))).toBe(false);
  });

  it('leaves no file under the final name if the daemon is killed meanwhile, and the next one none of its parts', async () => {
    expect((await start('killed.db')).status).toBe(202);
    await until('it is being copied', () =>
      readdirSync(folder).some((name) => name.startsWith('killed.db.')),
    );
    await daemon.kill();
    expect(existsSync(path('killed.db'))).toBe(false);
    await daemon.restart();
    expect((await backUp('killed.db')).code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('killed'))).toEqual(['killed.db']);
  });

  it('is abandoned when the daemon stops, which neither waits for it nor leaves anything of it', async () => {
    expect((await start('stopped.db')).status).toBe(202);
    const copying = await copyingProcess(daemon.pid);
    // It would never end by itself.
    process.kill(copying, 'SIGSTOP');
    expect(await daemon.stop()).toBe(0);
    expect(() => process.kill(copying, 0)).toThrow('ESRCH');
    expect(readdirSync(folder).filter((name) => name.startsWith('stopped'))).toEqual([]);
    await daemon.restart();
  });

  it('remembers the latest backup across restarts', async () => {
    expect((await view()).latest).toMatchObject({ file: path('killed.db'), findings: 0 });
  });

  it('keeps no copy that fails the integrity check', async () => {
    await whileAltered(
      () => damage(daemon.databaseFile),
      'DROP TABLE damaged',
      async () => {
        const { code, err } = await backUp('damaged.db');
        expect(code).toBe(1);
        expect(err).toMatch(
          /integrity check of the copy failed \(NULL value in damaged.a\), so it was removed/,
        );
        expect(readdirSync(folder).filter((name) => name.startsWith('damaged'))).toEqual([]);
      },
    );
  });

  const miscount = () => daemon.alterDatabase('INSERT INTO dead_letter_counts(target, count) VALUES (77, 3)');

  it('keeps a copy of inconsistent data, and says so with exit code 65', async () => {
    await whileAltered(miscount, 'DELETE FROM dead_letter_counts WHERE target = 77', async () => {
      const { code, out } = await backUp('inconsistent.db', '--json');
      expect(code).toBe(65);
      expect(JSON.parse(out)).toMatchObject({ findings: 1 });
      expect(existsSync(path('inconsistent.db'))).toBe(true);
    });
  });
});
