import type { Stats } from '../../../src/contract/stats';
import type { Daemon } from '../../support/daemon/daemon';
import { DaemonGroup } from '../../support/daemon/daemon-group';
import { assertBalanced } from '../../support/daemon/ledger';
import { findFaults, NO_FAULTS, renewals } from '../../support/runs/daemon-faults';
import { ConsumerReader, Follower, type EventReader } from '../../support/runs/event-reader';
import { RetryingSender } from '../../support/fakes/retrying-sender';
import { WitnessTarget } from '../../support/fakes/witness-target';
import { dealNotification } from '../../support/notification';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const PER_SECOND = 12;
const DEALS = 8;
const TOKEN_SECONDS = 12;
/** The last of the document's attempts is sent after 30 s. */
const ACKNOWLEDGED_WITHIN_MS = 60_000;

/** How often a daemon was refused what it wrote as the leader. */
const refusals = ({ output }: Daemon) =>
  output.split('changes were refused: another daemon leads').length - 1;

describe('three daemons of which the leader is frozen, killed, stopped and cut off under load', () => {
  let postgres: TestPostgres;
  let group: DaemonGroup;
  let target: WitnessTarget;
  let added: WitnessTarget;
  let sender: RetryingSender;
  let followers: Follower[] = [];
  let consumer: ConsumerReader | undefined;
  let last: Daemon;
  let resumed: Daemon;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    target = await WitnessTarget.start();
    target.delayMs = 200;
    added = await WitnessTarget.start();
    group = await DaemonGroup.start(postgres, 3, TOKEN_SECONDS);
    const [first] = group.daemons;
    await first!.addTarget('witness', target.url, { policy: { ordering: 'entity' } });
    sender = new RetryingSender(group.inTurns(), PER_SECOND, group.webhook.webhook_id, 1, DEALS);
    sender.start();
    followers = [1, 2, 3, 4].map(() => new Follower(group.daemons));
    consumer = new ConsumerReader(group.daemons);
    for (const reader of [...followers, consumer]) reader.start();
    await sender.waitForAcknowledged(2 * PER_SECOND, ACKNOWLEDGED_WITHIN_MS);
    resumed = first!;
  });
  afterAll(async () => {
    sender?.cancel();
    for (const reader of followers) await reader.stop();
    await consumer?.stop();
    await group?.close();
    await target?.close();
    await added?.close();
    await postgres?.stop();
  });

  it('continue with another leader while the first is frozen', async () => {
    const delivered = target.succeeded.length;
    await group.betweenRenewals(resumed);
    process.kill(resumed.pid, 'SIGSTOP');
    let waiting = 0;
    for (const asked of group.daemons.slice(1)) {
      waiting += 1;
      const ended = () => (waiting -= 1);
      asked.request('GET', '/stats').then(ended, ended);
    }
    last = await group.leader(resumed);
    await until('who asked the frozen one is answered too', () => waiting === 0);
    await until('the new one delivers', () => target.succeeded.length > delivered + PER_SECOND);
  });

  it('refuse everything that the frozen one writes as the leader once it is resumed', async () => {
    await last.addTarget('added', added.url);
    const [newest] = await runSql<{ seq: number }>(group.url, 'SELECT max(seq)::int AS seq FROM events');
    const received = sender.acknowledged.length;
    process.kill(resumed.pid, 'SIGCONT');
    await until('it has been refused', () => refusals(resumed) > 0);
    await until('it receives again', () => sender.acknowledged.length > received + 2 * PER_SECOND);
    // Among them are those that had waited in its sockets: it knew nothing of the target.
    const unplanned = await runSql(
      group.url,
      `SELECT seq FROM events WHERE seq > $1 AND entity IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM deliveries d JOIN targets t ON t.number = d.target_id WHERE d.event_seq = seq AND t.name = 'added')`,
      [newest!.seq],
    );
    expect(unplanned).toEqual([]);
    const entries = await group.list(resumed);
    expect(entries.map(({ address, leader }) => [address, leader])).toContainEqual([resumed.url, false]);
  });

  it('continue with another leader once the present one is killed', async () => {
    const killed = last;
    await group.betweenRenewals(killed);
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

  it('continue with another leader while the network of the present one stalls, which answers 503 in time', async () => {
    const stalled = last;
    await group.betweenRenewals(stalled);
    group.linkOf(stalled).stall();
    const { body } = dealNotification({ id: 1, webhookId: group.webhook.webhook_id });
    expect(await group.sendTo(stalled, body)).toMatchObject({ status: 503, code: 'not_stored' });
    last = await group.leader(stalled);
    const before = refusals(stalled);
    group.linkOf(stalled).resume();
    await until('it is refused what it writes as the leader', () => refusals(stalled) > before);
    await until('it receives again', async () => {
      const notification = dealNotification({ id: 1, webhookId: group.webhook.webhook_id });
      return (await group.sendTo(stalled, notification.body)).status === 200;
    });
  });

  it('have stored and delivered every acknowledged notification, in the order of each deal', async () => {
    sender.stop();
    await sender.waitUntilFinished(ACKNOWLEDGED_WITHIN_MS);
    await until(
      'everything is delivered',
      async () => (await last.get<Stats>('/stats')).deliveries.open === 0,
      ACKNOWLEDGED_WITHIN_MS,
    );
    expect(sender.acknowledged.length).toBeGreaterThan(10 * PER_SECOND);
    expect(await findFaults(group.url, sender, target)).toEqual(NO_FAULTS);
    await assertBalanced(last);
  });

  it('let each follower read every event once, in order, and a consumer none again that it had committed', async () => {
    const rows = await runSql(group.url, 'SELECT seq::int FROM events ORDER BY seq');
    const stored = (rows as { seq: number }[]).map(({ seq }) => seq);
    const hasRead = ({ seqs }: EventReader) => seqs.at(-1)! >= stored.at(-1)!;
    await until('all is read', () => [...followers, consumer!].every(hasRead));
    for (const { seqs } of followers) expect(seqs.slice(0, stored.length)).toEqual(stored);
    expect([...new Set(consumer!.seqs)].slice(0, stored.length)).toEqual(stored);
    expect(consumer!.wentBack).toEqual([]);
  });

  it('have renewed each token once, and have one webhook', async () => {
    await until('tokens were renewed', () => renewals(group.upstream).length > 1);
    expect(renewals(group.upstream).filter((count) => count > 1)).toEqual([]);
    expect(group.upstream.webhooks.size).toBe(1);
  });
});
