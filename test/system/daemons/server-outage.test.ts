import { setTimeout as pause } from 'node:timers/promises';
import type { Stats } from '../../../src/contract/stats';
import type { Daemon } from '../../support/daemon/daemon';
import { DaemonGroup } from '../../support/daemon/daemon-group';
import { assertBalanced } from '../../support/daemon/ledger';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { dealNotification } from '../../support/notification';
import { TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

/** Longer than the lease. */
const OUTAGE_MS = 11_000;

const API_PREFIX = '/api/v1';

/** Every list and page of the API that needs no id. */
async function readablePaths(daemon: Daemon): Promise<string[]> {
  const { paths } = await daemon.get<{ paths: Record<string, object> }>('/openapi.json');
  return Object.entries(paths).flatMap(([path, methods]) =>
    'get' in methods && path.startsWith(API_PREFIX) && !path.includes('{')
      ? [path.slice(API_PREFIX.length)]
      : [],
  );
}

describe('daemons whose server crashes', () => {
  let postgres: TestPostgres;
  let group: DaemonGroup;
  let target: RecordingTarget;
  let nextId = 1;
  const stored: string[] = [];

  const notify = async (): Promise<number[]> => {
    const statuses: number[] = [];
    for (const daemon of group.daemons) {
      const { body } = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
      const { status, id } = await group.sendTo(daemon, body);
      if (id !== null) stored.push(id);
      statuses.push(status ?? 0);
    }
    return statuses;
  };

  beforeAll(async () => {
    postgres = await TestPostgres.startOwn();
    group = await DaemonGroup.start(postgres, 2);
    target = await RecordingTarget.start();
    await group.daemons[0]!.addTarget('shop', target.url);
  });
  afterAll(async () => {
    await group?.close();
    await target?.close();
    await postgres?.stop();
  });

  it('answer 503 in time while it is away, and continue by themselves once it is back', async () => {
    expect(await notify()).toEqual([200, 200]);
    const pids = group.daemons.map(({ pid }) => pid);
    await postgres.own.stop('SIGQUIT');
    const stoppedAt = performance.now();
    expect(await notify()).toEqual([503, 503]);
    for (const daemon of group.daemons) expect((await daemon.request('GET', '/events')).status).toBe(503);
    await pause(Math.max(0, OUTAGE_MS - (performance.now() - stoppedAt)));
    expect(await notify()).toEqual([503, 503]);
    await postgres.own.start();
    await until('each stores events again', async () => (await notify()).every((status) => status === 200));
    const leader = await group.leader();
    await until('everything is delivered', async () => {
      // Another daemon may be about to take over.
      const { status, body } = await leader.request('GET', '/stats');
      return (
        status === 200 &&
        (body as Stats).deliveries.open === 0 &&
        stored.every((id) => target.of(id).length > 0)
      );
    });
    expect(group.daemons.map(({ pid }) => pid)).toEqual(pids);
    await assertBalanced(leader);
  });

  it('answer what they cannot serve with 503, and never with 500, while it restarts', async () => {
    const leader = await group.leader();
    const paths = [...(await readablePaths(leader)), `/events/${stored[0]}`];
    const failed: { path: string; retryAfter: string | null; problem: unknown }[] = [];
    let rounds = 0;
    const ending = new AbortController();
    const read = async (path: string) => {
      const headers = { authorization: `Bearer ${leader.token}` };
      const response = await fetch(`${leader.url}${API_PREFIX}${path}`, { headers });
      const text = await response.text();
      if (response.status < 500) return;
      failed.push({ path, retryAfter: response.headers.get('retry-after'), problem: JSON.parse(text) });
    };
    const readAll = async () => {
      while (!ending.signal.aborted) {
        await Promise.all(paths.map(read));
        rounds += 1;
      }
    };
    const reading = readAll();
    try {
      await until('all are answered', () => rounds > 0);
      await postgres.own.stop('SIGINT');
      const before = rounds;
      await until('all are answered while it is away', () => rounds > before + 1);
      await postgres.own.start();
    } finally {
      ending.abort();
    }
    await reading;
    for (const one of failed)
      expect(one).toEqual({
        ...one,
        retryAfter: expect.stringMatching(/^\d+$/),
        problem: expect.objectContaining({ status: 503, remedy: expect.any(String) }),
      });
    expect(failed.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/events', '/daemons', '/replays']),
    );
  });
});
