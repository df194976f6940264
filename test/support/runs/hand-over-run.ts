import { Daemon } from '../daemon/daemon';
import { assertBalanced } from '../daemon/ledger';
import { openSocket } from '../daemon/passed-socket';
import { FakeCopilot } from '../fakes/copilot';
import { RetryingSender, type SentNotification } from '../fakes/retrying-sender';
import { WebhookSender } from '../fakes/webhook-sender';
import { until } from '../until';

export interface HandOverPlan {
  restarts: number;
  perSecond: number;
  /** How many notifications are acknowledged between two restarts. */
  between: number;
  /** How long the sender waits for a response; by default as long as the document says. */
  timeoutMs?: number;
}

export interface HandOverFindings {
  sent: SentNotification[];
  /** The first attempts that were not acknowledged, in a few words. */
  notAtOnce: string[];
  /** Events in the database. */
  stored: number;
  /** The longest time until an acknowledgement. */
  slowestMs: number;
}

const WITHIN_MS = 60_000;
const MAX_UNANSWERED = 5;

/** Restarts the daemon on a socket that stays open, while notifications arrive. */
export async function runHandOvers(plan: HandOverPlan): Promise<HandOverFindings> {
  const opened: { close: () => unknown }[] = [];
  try {
    const socket = openSocket();
    opened.push(socket);
    const upstream = await FakeCopilot.start();
    opened.push(upstream);
    const daemon = await Daemon.startConnected({ upstream, listenFd: socket.fd });
    opened.push(daemon);
    const client = new WebhookSender(daemon.webhook, undefined, plan.timeoutMs);
    opened.push(client);
    const sender = new RetryingSender(client, plan.perSecond, daemon.webhook.webhook_id);
    opened.push({ close: () => sender.cancel() });
    sender.start();
    for (let i = 0; i < plan.restarts; i += 1) {
      await sender.waitForAcknowledged(plan.between, WITHIN_MS);
      // A backlog from the restart before would delay the next one on a slow machine.
      await until('few are unanswered', () => client.unanswered <= MAX_UNANSWERED, WITHIN_MS);
      await daemon.stop();
      await daemon.restart();
    }
    await sender.waitForAcknowledged(plan.between, WITHIN_MS);
    sender.stop();
    await sender.waitUntilFinished(WITHIN_MS);
    await assertBalanced(daemon);
    const sent = sender.notifications;
    const [row] = daemon.rows<{ count: number }>(
      "SELECT count(*) AS count FROM events WHERE type NOT LIKE 'relay.%'",
    );
    return {
      sent,
      notAtOnce: sent.flatMap(({ attempts: [first] }) =>
        first?.status === 200 ? [] : [`${first?.code} after ${first!.respondedAt - first!.sentAt} ms`],
      ),
      stored: row!.count,
      slowestMs: Math.max(...sent.map(({ attempts: [first] }) => first!.respondedAt - first!.sentAt)),
    };
  } finally {
    for (const one of opened.toReversed()) await one.close();
  }
}
