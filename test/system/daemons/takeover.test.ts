import type { Stats } from '../../../src/contract/stats';
import type { Daemon } from '../../support/daemon/daemon';
import { DaemonGroup } from '../../support/daemon/daemon-group';
import { assertBalanced } from '../../support/daemon/ledger';
import { RetryingSender } from '../../support/fakes/retrying-sender';
import { WitnessTarget } from '../../support/fakes/witness-target';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const PER_SECOND = 30;
const DEALS = 20;
const TOKEN_SECONDS = 12;
/** The last of the document's attempts is sent after 30 s. */
const ACKNOWLEDGED_WITHIN_MS = 60_000;

/** Of deals, whose events are in lanes. */
interface StoredEvent {
  seq: number;
  entity: string;
  hash: string;
}

const readEvents = (url: string) =>
  runSql<StoredEvent>(
    url,
    `SELECT seq::int, entity, encode(sha256(body), 'hex') AS hash FROM events WHERE entity IS NOT NULL ORDER BY seq`,
  );

/** By deal, its events in the order in which they first arrived at the target. */
function arrivals(events: readonly StoredEvent[], target: WitnessTarget): Map<string, number[]> {
  const byHash = new Map(events.map((event) => [event.hash, event]));
  const seen = new Set<string>();
  const byDeal = new Map<string, number[]>();
  for (const { hash } of target.received) {
    const event = byHash.get(hash);
    if (event === undefined || seen.has(hash)) continue;
    seen.add(hash);
    byDeal.set(event.entity, [...(byDeal.get(event.entity) ?? []), event.seq]);
  }
  return byDeal;
}

/** By refresh token, how often Co-Pilot was given it. */
function renewals({ upstream }: DaemonGroup): number[] {
  const counts = new Map<string, number>();
  for (const { path, body } of upstream.requests) {
    const token = path === '/oauth/token' ? new URLSearchParams(body).get('refresh_token') : null;
    if (token !== null) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return [...counts.values()];
}

describe('three daemons of which the leader is frozen, killed and stopped under load', () => {
  let postgres: TestPostgres;
  let group: DaemonGroup;
  let target: WitnessTarget;
  let sender: RetryingSender;
  let last: Daemon;
  let resumed: Daemon;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    target = await WitnessTarget.start();
    target.delayMs = 200;
    group = await DaemonGroup.start(postgres, 3, TOKEN_SECONDS);
    const [first] = group.daemons;
    await first!.addTarget('witness', target.url, { policy: { ordering: 'entity' } });
    sender = new RetryingSender(group.inTurns(), PER_SECOND, group.webhook.webhook_id, 1, DEALS);
    sender.start();
    await sender.waitForAcknowledged(2 * PER_SECOND, ACKNOWLEDGED_WITHIN_MS);
    resumed = first!;
  }, 120_000);
  afterAll(async () => {
    sender?.cancel();
    await group?.close();
    await target?.close();
    await postgres?.stop();
  });

  it('continue with another leader while the first is frozen', async () => {
    const delivered = target.succeeded.length;
    process.kill(resumed.pid, 'SIGSTOP');
    last = await group.leader(resumed);
    await until('the new one delivers', () => target.succeeded.length > delivered + PER_SECOND);
  });

  it('refuse everything that the frozen one writes as the leader once it is resumed', async () => {
    process.kill(resumed.pid, 'SIGCONT');
    await until('it has been refused', () =>
      resumed.output.includes('nothing was written: another daemon leads'),
    );
    const entries = await group.list(resumed);
    expect(entries.map(({ address, leader }) => [address, leader])).toContainEqual([resumed.url, false]);
  });

  it('continue with another leader once the present one is killed', async () => {
    const killed = last;
    await killed.kill();
    last = await group.leader(killed);
    await killed.restart();
  });

  it('continue with another leader once the present one is stopped, without waiting for its lease', async () => {
    const stopped = last;
    const { url } = stopped;
    expect(await stopped.stop()).toBe(0);
    expect(await runSql(group.url, 'SELECT 1 FROM daemons WHERE address = $1', [url])).toEqual([]);
    last = await group.leader(stopped);
    await stopped.restart();
  });

  it('have stored and delivered every acknowledged notification, in the order of each deal', async () => {
    sender.stop();
    await sender.waitUntilFinished(ACKNOWLEDGED_WITHIN_MS);
    await until(
      'everything is delivered',
      async () => (await last.get<Stats>('/stats')).deliveries.open === 0,
      ACKNOWLEDGED_WITHIN_MS,
    );
    const acknowledged = sender.acknowledged.map(({ hash }) => hash);
    expect(acknowledged.length).toBeGreaterThan(10 * PER_SECOND);
    const events = await readEvents(group.url);
    const stored = new Set(events.map(({ hash }) => hash));
    const delivered = new Set(target.succeeded.map(({ hash }) => hash));
    expect(acknowledged.filter((hash) => !stored.has(hash))).toEqual([]);
    expect(events.filter(({ hash }) => !delivered.has(hash))).toEqual([]);
    const unordered = [...arrivals(events, target).values()].filter(
      (seqs) => !seqs.every((seq, i) => i === 0 || seqs[i - 1]! < seq),
    );
    expect(unordered).toEqual([]);
    await assertBalanced(last);
  });

  it('have renewed each token once, and have one webhook', async () => {
    await until('tokens were renewed', () => renewals(group).length > 1);
    expect(renewals(group).filter((count) => count > 1)).toEqual([]);
    expect(group.upstream.webhooks.size).toBe(1);
  });
});
