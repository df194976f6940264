import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon } from '../../support/daemon/daemon';
import { runInProcess } from '../../support/daemon/run-in-process';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

let upstream: FakeCopilot;
let daemon: Daemon;
beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.start({ upstream, under: ['sh', '-c', 'umask 000; exec "$@"', 'sh'] });
});
afterAll(async () => {
  await daemon?.close();
  await upstream.close();
});

/** The files in a daemon's folder that others have any permission on. */
const accessible = () =>
  readdirSync(daemon.dataDir).filter((name) => {
    // SQLite removes the other files of a database when its last connection is closed.
    const file = statSync(join(daemon.dataDir, name), { throwIfNoEntry: false });
    return file !== undefined && (file.mode & 0o077) !== 0;
  });
const waitForIndex = () =>
  until('the text index exists', () => existsSync(join(daemon.dataDir, 'switchboard-search.db')));
const doctor = async () => (await runInProcess(['doctor', '--data-dir', daemon.dataDir])).out;

it('every file is readable only by its owner, whatever the umask', async () => {
  await waitForIndex();
  expect(readdirSync(daemon.dataDir)).toEqual(
    expect.arrayContaining([
      'address',
      'admin.token',
      'lock',
      'secret.key',
      'switchboard.db',
      'switchboard.db-wal',
    ]),
  );
  expect(accessible()).toEqual([]);
  expect(await doctor()).toMatch(/ok +DATA_DIR/);
});

it('files that others can read are made private at the next start, and an accessible folder is reported', async () => {
  await daemon.kill();
  chmodSync(daemon.dataDir, 0o755);
  for (const name of readdirSync(daemon.dataDir)) chmodSync(join(daemon.dataDir, name), 0o644);
  writeFileSync(join(daemon.dataDir, 'of-somebody-else'), '', { mode: 0o644 });
  chmodSync(join(daemon.dataDir, 'of-somebody-else'), 0o644);
  await daemon.restart();
  expect(accessible()).toEqual(['of-somebody-else']);
  expect(daemon.output).toContain('DATA_DIR is accessible to other users of this machine');
  expect(await doctor()).toMatch(
    /problem +DATA_DIR +.*accessible to other users of this machine\.\n +Restrict access: chmod 700/,
  );
});
