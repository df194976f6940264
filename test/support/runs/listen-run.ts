import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from '../../../src/contract/delivery';
import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import type { Stats } from '../../../src/contract/stats';
import type { Daemon } from '../daemon/daemon';
import { assertBalanced } from '../daemon/ledger';
import { MainProcess } from '../daemon/main-process';
import { NetworkLink } from '../fakes/network-link';
import { RetryingSender } from '../fakes/retrying-sender';
import type { WebhookSender } from '../fakes/webhook-sender';
import { WitnessTarget } from '../fakes/witness-target';
import { until } from '../until';

const NAME = 'witness';
const FAILING = 0.02;
const DRAINED_WITHIN_MS = 300_000;

export interface ListenPlan {
  events: number;
  deals: number;
  perSecond: number;
  /** How many times the listener, the network or the hub fails. */
  faults: number;
}

/** The hub of a run. */
export interface ListenScene {
  client: Pick<WebhookSender, 'send'>;
  webhookId: string;
  /** The daemon to connect to at present. */
  daemon: () => Daemon;
  /** Stops or kills the hub, or the daemon that leads, and starts it again. */
  restart: () => Promise<void>;
}

export interface ListenFindings {
  stored: number;
  requests: number;
  failed: number;
  /** Requests for an event after its 2xx was sent. */
  repeated: number;
  faults: string[];
  seconds: number;
  /** These must be empty. */
  missing: string[];
  overtaken: string[];
  succeededWithoutAnswer: string[];
  countedWithoutAnswer: string[];
}

/** Sends events while the listener, its network and its hub fail at random, and compares hub and local record. */
export async function runListen(plan: ListenPlan, scene: ListenScene): Promise<ListenFindings> {
  const startedAt = performance.now();
  const target = await WitnessTarget.start();
  let failed = 0;
  target.statusFor = () => {
    if (Math.random() >= FAILING) return 204;
    failed += 1;
    return 500;
  };
  const link = await NetworkLink.start(scene.daemon().url);
  await scene.daemon().request('POST', '/targets', {
    kind: 'listener',
    name: NAME,
    policy: { retry: { attempts: 100, first_s: 0.1, factor: 1, cap_s: 1 }, concurrency: 16 },
  });
  const flags = ['--forward-to', target.url, '--name', NAME, '--concurrency', '16'];
  // Through a network that can stall.
  const program = new MainProcess('the listener', ['listen', ...flags], scene.daemon().dataDir, {
    SWITCHBOARD_HUB: link.url.replace(/\/$/, ''),
    SWITCHBOARD_TOKEN: scene.daemon().token,
  });
  const sender = new RetryingSender(scene.client, plan.perSecond, scene.webhookId, 1, plan.deals);
  try {
    program.start();
    sender.start();
    const faults = await failAtRandom(plan.faults, { program, link, scene, sender, events: plan.events });
    await until('all are sent', () => sender.notifications.length >= plan.events, DRAINED_WITHIN_MS);
    sender.stop();
    await sender.waitUntilFinished(60_000);
    const isDrained = async () => (await scene.daemon().get<Stats>('/stats')).deliveries.open === 0;
    await until('everything is delivered', isDrained, DRAINED_WITHIN_MS);
    await assertBalanced(scene.daemon());
    const events = await listAll<EventSummary>(scene.daemon(), '/events');
    const deliveries = await listAll<Delivery>(scene.daemon(), '/deliveries');
    const seconds = (performance.now() - startedAt) / 1_000;
    return { ...compare(events, deliveries, target), failed, faults, seconds };
  } finally {
    sender.cancel();
    await program.kill();
    await link.close();
    await target.close();
  }
}

interface Failing {
  program: MainProcess;
  link: NetworkLink;
  scene: ListenScene;
  sender: RetryingSender;
  events: number;
}

async function failAtRandom(count: number, failing: Failing): Promise<string[]> {
  const { program, link, scene, sender, events } = failing;
  const faults = {
    kill: async () => {
      await program.kill();
      await pause(Math.random() * 3_000);
      program.start();
    },
    freeze: async () => {
      process.kill(program.pid, 'SIGSTOP');
      await pause(3_000 + Math.random() * 15_000);
      process.kill(program.pid, 'SIGCONT');
    },
    cut: async () => {
      link.stall();
      await pause(3_000 + Math.random() * 15_000);
      link.leadTo(scene.daemon().url);
      link.resume();
    },
    restart: async () => {
      await scene.restart();
      link.leadTo(scene.daemon().url);
    },
  };
  const names = Object.keys(faults) as (keyof typeof faults)[];
  const happened: string[] = [];
  for (let n = 0; n < count; n += 1) {
    await pause(1_000 + Math.random() * 3_000);
    // Each at least as often as the others.
    const name = names[n % names.length]!;
    const startedAt = performance.now();
    await faults[name]();
    happened.push(`${name} ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    if (sender.notifications.length >= events) sender.stop();
  }
  return happened;
}

async function listAll<Item>(daemon: Daemon, path: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await daemon.get(
      `${path}?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    items.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

function compare(events: readonly EventSummary[], deliveries: readonly Delivery[], target: WitnessTarget) {
  const known = new Map(events.map((event) => [event.id, event]));
  const deals = events.filter(({ entity }) => entity !== null);
  /** By deal, the `seq` of the newest event whose 2xx was sent. */
  const through = new Map<string, number>();
  const answers = new Map<string, number>();
  const delivered = new Set<string>();
  const overtaken: string[] = [];
  let repeated = 0;
  for (const { id, sentStatus } of target.received) {
    const { entity, seq } = known.get(id)!;
    if (sentStatus !== null) answers.set(id, (answers.get(id) ?? 0) + 1);
    if (delivered.has(id)) repeated += 1;
    else if ((through.get(entity!) ?? 0) > seq) overtaken.push(`${seq} of ${entity}`);
    if (sentStatus === null || sentStatus >= 300) continue;
    delivered.add(id);
    through.set(entity!, Math.max(through.get(entity!) ?? 0, seq));
  }
  return {
    stored: deals.length,
    requests: target.received.length,
    repeated,
    overtaken,
    missing: deals.filter(({ id }) => !delivered.has(id)).map(({ id }) => id),
    succeededWithoutAnswer: deliveries
      .filter(({ state, event_id: id }) => state === 'succeeded' && !delivered.has(id))
      .map(({ id }) => id),
    countedWithoutAnswer: deliveries
      .filter(({ attempt_count: count, event_id: id }) => count > (answers.get(id) ?? 0))
      .map(({ id }) => id),
  };
}
