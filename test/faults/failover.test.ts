import { setTimeout as pause } from 'node:timers/promises';
import type { AlertSummary } from '../../src/contract/alert';
import type { Page } from '../../src/contract/page';
import type { Stats } from '../../src/contract/stats';
import { parseInstanceId, SELECT_INSTANCE } from '../../src/relay/database/journal/instance-record';
import { seqOfEventId } from '../../src/relay/ground/ids';
import { DaemonGroup } from '../support/daemon/daemon-group';
import { assertBalanced } from '../support/daemon/ledger';
import { RetryingSender, type SentNotification } from '../support/fakes/retrying-sender';
import { WitnessTarget } from '../support/fakes/witness-target';
import { runSql, TestPostgres } from '../support/postgres';
import { PostgresPair } from '../support/postgres-pair';
import { report } from '../support/runs/report';
import { until } from '../support/until';

const PER_SECOND = Number(process.env['PER_SECOND'] ?? 200);
const KILLS = Number(process.env['KILLS'] ?? 50);
const FAILOVERS = Number(process.env['FAILOVERS'] ?? 10);
const SETTLED_WITHIN_MS = 120_000;

/** Bodies above and below the size up to which they are read with their deliveries. */
const padding = (n: number) => (n % 4 === 0 ? 'x'.repeat(6_000) : '');

interface StoredEvent {
  seq: number;
  hash: string;
}

interface Loss {
  from_seq: number;
  to_seq: number;
}

describe('three daemons under load whose server crashes and fails over', () => {
  let pair: PostgresPair;
  let group: DaemonGroup;
  let target: WitnessTarget;
  let sender: RetryingSender;

  beforeAll(async () => {
    pair = await PostgresPair.start();
    target = await WitnessTarget.start();
    group = await DaemonGroup.start(TestPostgres.at(pair.url), 3);
    await group.daemons[0]!.addTarget('witness', target.url, {
      policy: { ordering: 'entity', concurrency: 64 },
    });
    sender = new RetryingSender(group.inTurns(), PER_SECOND, group.webhook.webhook_id, 1, 500, padding);
    sender.start();
  }, 120_000);
  afterAll(async () => {
    sender?.cancel();
    await group?.close();
    await target?.close();
    await pair?.stop();
  });

  const configure = async (settings: Record<string, number>) => {
    for (const [name, value] of Object.entries(settings))
      await runSql(pair.primary.url, `ALTER SYSTEM SET ${name} = ${value}`);
    await runSql(pair.primary.url, 'SELECT pg_reload_conf()');
  };
  const stored = () =>
    runSql<StoredEvent>(
      group.url,
      `SELECT seq::int, encode(sha256(body), 'hex') AS hash FROM events WHERE signature_header <> ''`,
    );
  const settled = () => sender.waitForAcknowledged(2 * PER_SECOND, SETTLED_WITHIN_MS);

  /** Everything that was acknowledged so far and is not stored. */
  const lost = async (): Promise<SentNotification[]> => {
    const { acknowledged } = sender;
    const hashes = new Set((await stored()).map(({ hash }) => hash));
    return acknowledged.filter(({ hash }) => !hashes.has(hash));
  };
  const generations = () => runSql<{ is_told: boolean }>(group.url, 'SELECT is_told FROM generations');
  const alerts = async (): Promise<AlertSummary[]> => {
    const leader = await group.leader();
    return (await leader.get<Page<AlertSummary>>('/alerts?limit=200')).data.filter(
      ({ type }) => type === 'relay.database.rows_lost',
    );
  };

  it('store what they acknowledge, though sessions of the server are killed during a commit', async () => {
    await configure({ commit_delay: 20_000, commit_siblings: 0 });
    for (let n = 0; n < KILLS; n += 1) {
      await sender.waitForAcknowledged(PER_SECOND / 2, SETTLED_WITHIN_MS);
      let pid = 0;
      await until('a transaction is being committed', async () => {
        const [row] = await runSql<{ pid: number }>(
          pair.primary.url,
          `SELECT pid FROM pg_stat_activity
           WHERE application_name = 'switchboard' AND query = 'COMMIT' AND state = 'active' ORDER BY random() LIMIT 1`,
        ).catch(() => []);
        pid = row?.pid ?? 0;
        return pid > 0;
      });
      pair.primary.kill(pid);
    }
    await settled();
    await configure({ commit_delay: 0 });
    report(`${KILLS} kills: ${sender.acknowledged.length} acknowledged, ${(await lost()).length} lost`);
    expect(await lost()).toEqual([]);
  });

  it('store what they acknowledge, if a standby takes over that commits have waited for', async () => {
    for (let n = 0; n < FAILOVERS; n += 1) {
      await pair.addStandby('synchronous');
      await settled();
      pair.cutStandby();
      await pause(300 + 40 * n);
      await pair.failOver();
    }
    await settled();
    report(
      `${FAILOVERS} synchronous failovers: ${sender.acknowledged.length} acknowledged, ${(await lost()).length} lost`,
    );
    expect(await lost()).toEqual([]);
    expect(await alerts()).toEqual([]);
  });

  it('tell the range of what is lost, if an asynchronous standby takes over', async () => {
    const [record] = await runSql<{ tag: string; restores: string }>(group.url, SELECT_INSTANCE);
    const instance = parseInstanceId({ ...record!, tag: Number(record!.tag) });
    const known = new Set<string>();
    let count = 0;
    let told = 0;
    for (let n = 0; n < FAILOVERS; n += 1) {
      await pair.addStandby('asynchronous');
      await settled();
      const { length: before } = await generations();
      pair.cutStandby();
      await pause(300 + 40 * n);
      await pair.failOver();
      await settled();
      await until('it was looked at', async () => {
        const all = await generations();
        return all.length > before && all.every(({ is_told: isTold }) => isTold);
      });
      const newly = (await lost()).filter(({ hash }) => !known.has(hash));
      for (const { hash } of newly) known.add(hash);
      // The newest alert first. There is none if nothing was committed meanwhile.
      const [alert, ...former] = await alerts();
      const { from_seq: from, to_seq: to } = (alert?.data ?? {}) as unknown as Loss;
      const isTold = former.length + 1 > told && alert !== undefined;
      if (newly.length > 0) expect(isTold).toBe(true);
      if (!isTold) continue;
      told = former.length + 1;
      const seqs = newly.map(({ acknowledgement }) => seqOfEventId(acknowledgement!.id!, instance)!);
      expect(seqs.filter((seq) => seq < from || seq > to)).toEqual([]);
      count += to - from + 1;
    }
    report(
      `${FAILOVERS} asynchronous failovers: ${known.size} lost, all in the ${told} ranges of the alerts, of ${count} numbers; ${sender.acknowledged.length} acknowledged`,
    );
  });

  it('have delivered everything that is stored, and nothing with the body of another event', async () => {
    sender.stop();
    await sender.waitUntilFinished(SETTLED_WITHIN_MS);
    const leader = await group.leader();
    await until(
      'everything is delivered',
      async () => (await leader.get<Stats>('/stats')).deliveries.open === 0,
      SETTLED_WITHIN_MS,
    );
    await assertBalanced(leader);
    const events = await stored();
    const delivered = new Set(target.succeeded.map(({ hash }) => hash));
    const hashes = new Map(
      sender.acknowledged.map(({ hash, acknowledgement }) => [acknowledgement!.id, hash]),
    );
    const swapped = target.received.filter(({ id, hash }) => (hashes.get(id) ?? hash) !== hash);
    const twice = target.succeeded.length - new Set(target.succeeded.map(({ hash }) => hash)).size;
    report(
      `${sender.notifications.length} sent, ${sender.acknowledged.length} acknowledged, ${events.length} stored, ${delivered.size} delivered, ${twice} of them again`,
    );
    expect(new Set(events.map(({ hash }) => hash)).size).toBe(events.length);
    expect(events.filter(({ hash }) => !delivered.has(hash))).toEqual([]);
    expect(swapped).toEqual([]);
  });
});
