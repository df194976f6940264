import { Daemon } from '../support/daemon/daemon';
import { DaemonGroup } from '../support/daemon/daemon-group';
import { FakeCopilot } from '../support/fakes/copilot';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { TestPostgres } from '../support/postgres';
import { runListen, type ListenFindings } from '../support/runs/listen-run';
import { report } from '../support/runs/report';

const PLAN = {
  events: Number(process.env['EVENTS'] ?? 10_000),
  deals: 200,
  perSecond: Number(process.env['PER_SECOND'] ?? 200),
  faults: Number(process.env['FAULTS'] ?? 12),
};

const NOTHING = { missing: [], overtaken: [], succeededWithoutAnswer: [], countedWithoutAnswer: [] };

function check(found: ListenFindings): void {
  const { stored, requests, failed, repeated, faults, seconds } = found;
  report(
    `${stored} events stored, ${requests} requests at the receiver, ${failed} failed, ${repeated} repeated, in ${seconds.toFixed(0)} s: ${faults.join(', ')}`,
  );
  expect(found).toMatchObject(NOTHING);
  expect(stored).toBeGreaterThan(PLAN.events * 0.9);
  expect(failed).toBeGreaterThan(0);
}

const TITLE =
  'a listener that is killed, frozen and cut off, and whose hub is restarted, gets every event in the order of its deal';

it(`${TITLE}, on SQLite`, async () => {
  const upstream = await FakeCopilot.start();
  const daemon = await Daemon.startConnected({ upstream });
  const client = new WebhookSender(daemon.webhook);
  let restarts = 0;
  const restart = async () => {
    restarts += 1;
    await (restarts % 2 === 0 ? daemon.stop() : daemon.kill());
    await daemon.restart();
  };
  try {
    const { webhook_id: webhookId } = daemon.webhook;
    check(await runListen(PLAN, { client, webhookId, daemon: () => daemon, restart }));
  } finally {
    client.close();
    await daemon.close();
    await upstream.close();
  }
});

it(`${TITLE}, with two daemons on PostgreSQL`, async () => {
  const postgres = await TestPostgres.start();
  const group = await DaemonGroup.start(postgres, 2);
  let leader = group.daemons[0]!;
  let restarts = 0;
  const restart = async () => {
    restarts += 1;
    const former = leader;
    await (restarts % 2 === 0 ? former.stop() : former.kill());
    leader = await group.leader(former);
    await former.restart();
  };
  try {
    const { webhook_id: webhookId } = group.webhook;
    const client = group.inTurns({ skipsRefused: true });
    // Through the follower, which passes it on to the leader.
    const daemon = () => group.daemons.find((one) => one !== leader)!;
    check(await runListen(PLAN, { client, webhookId, daemon, restart }));
  } finally {
    await group.close();
    await postgres.stop();
  }
});
