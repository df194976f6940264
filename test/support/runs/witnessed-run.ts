import type { Stats } from '../../../src/contract/stats';
import type { TargetPolicyChanges } from '../../../src/contract/target-policy';
import { Daemon } from '../daemon/daemon';
import { RESPONSE_TIMEOUT_MS, WebhookSender } from '../fakes/webhook-sender';
import { assertBalanced } from '../daemon/ledger';
import { until } from '../until';
import { FakeCopilot } from '../fakes/copilot';
import { WitnessTarget } from '../fakes/witness-target';

export interface WitnessedRun {
  daemon: Daemon;
  target: WitnessTarget;
  client: WebhookSender;
}

/** Runs on a connected daemon with one target that records its requests. @param environment more settings */
export async function runWitnessed<Findings>(
  policy: TargetPolicyChanges,
  run: (scene: WitnessedRun) => Promise<Findings>,
  environment: Record<string, string> = {},
): Promise<Findings> {
  const opened: { close: () => unknown }[] = [];
  try {
    const upstream = await FakeCopilot.start();
    opened.push(upstream);
    const target = await WitnessTarget.start();
    opened.push(target);
    const daemon = await Daemon.startConnected({ upstream, environment });
    opened.push(daemon);
    const client = new WebhookSender(daemon.webhook, undefined, RESPONSE_TIMEOUT_MS);
    opened.push(client);
    await daemon.addTarget('witness', target.url, { policy });
    return await run({ daemon, target, client });
  } finally {
    for (const one of opened.toReversed()) await one.close();
  }
}

/** Waits until no delivery is queued, then runs the consistency check. */
export async function untilDrained(daemon: Daemon, withinMs: number): Promise<void> {
  const isDrained = async () => (await daemon.get<Stats>('/stats')).deliveries.open === 0;
  await until('no delivery is queued', isDrained, withinMs);
  await assertBalanced(daemon);
}
