import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { Daemon } from '../../support/daemon/daemon';
import { FakeCopilot } from '../../support/fakes/copilot';
import { allowWritesOf } from '../../support/file-size-limit';
import { TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

describe.each(['sqlite', 'postgres'])('a daemon on %s that starts on a full disk', (engine) => {
  let postgres: TestPostgres | null = null;
  let upstream: FakeCopilot;
  let daemon: Daemon;
  /** The command that runs the daemon. */
  const under: string[] = [];

  beforeAll(async () => {
    if (engine === 'postgres') postgres = await TestPostgres.start();
    const environment = postgres === null ? {} : postgresEnvironment(await postgres.createMigrated());
    upstream = await FakeCopilot.start();
    daemon = await Daemon.start({ upstream, environment, under });
    expect(await daemon.stop()).toBe(0);
  });
  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
    await postgres?.stop();
  });

  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`${daemon.url}${path}`, { method }).catch(() => null);
    return response && { status: response.status, retryAfter: response.headers.get('retry-after') };
  };

  it('answers 503, can be stopped, and starts by itself once the disk can be written', async () => {
    under.push('prlimit', '--fsize=0:');
    for (const isStopped of [true, false]) {
      daemon.restartWithoutWaiting();
      await until('it answers', async () => (await ask('/readyz')) !== null);
      expect(await ask('/readyz')).toMatchObject({ status: 503 });
      expect(await ask('/hooks/any', 'POST')).toEqual({ status: 503, retryAfter: '5' });
      if (isStopped) expect(await daemon.stop()).toBe(0);
    }
    expect(daemon.output).toContain('a disk is full or failing: answering 503');
    expect(daemon.output).not.toContain('[object Object]');
    allowWritesOf(daemon.pid);
    await until('it has started', async () => (await ask('/readyz'))?.status === 200);
    await until('commands find it', () => existsSync(join(daemon.dataDir, 'address')));
    expect(await daemon.stop()).toBe(0);
  });

  it('ends as at any start if it cannot start then for another reason', async () => {
    daemon.restartWithoutWaiting();
    await until('it answers', async () => (await ask('/readyz'))?.status === 503);
    rmSync(join(daemon.dataDir, 'lock'));
    mkdirSync(join(daemon.dataDir, 'lock'));
    allowWritesOf(daemon.pid);
    await until('it has ended', () => !daemon.isRunning);
    expect(daemon.exitCode).toBe(78);
  });
});
