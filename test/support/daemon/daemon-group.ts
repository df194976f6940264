import type { Connection } from '../../../src/contract/connection';
import type { DaemonList } from '../../../src/contract/daemon';
import { FakeCopilot } from '../fakes/copilot';
import type { FakeWebhook } from '../fakes/copilot-webhooks';
import { NetworkLink } from '../fakes/network-link';
import { passTo, PublicProxy } from '../fakes/public-proxy';
import { RESPONSE_TIMEOUT_MS, WebhookSender, type AttemptOutcome } from '../fakes/webhook-sender';
import type { TestPostgres } from '../postgres';
import { until } from '../until';
import { Daemon } from './daemon';
import { postgresEnvironment } from './database-environment';

/** Longer than a lease, and the start of what leads: seconds of a processor, of which a busy machine gives it little. */
const TAKE_OVER_MS = 120_000;
/** Longer than a fault takes to begin. */
const RENEWAL_IS_NEAR_MS = 3_000;

/**
 * Several built daemons on one database, each through a network of its own, behind a proxy at their public URL that asks them in
 * turns. The first one leads.
 */
export class DaemonGroup {
  private senders: WebhookSender[] = [];
  private turn = 0;

  private constructor(
    readonly upstream: FakeCopilot,
    readonly url: string,
    readonly proxy: PublicProxy,
    readonly daemons: readonly Daemon[],
    private readonly links: readonly NetworkLink[],
  ) {}

  /**
   * @param expiresIn the lifetime of access tokens, in seconds
   * @param publicUrl that of the proxy if missing
   */
  static async start(
    postgres: TestPostgres,
    count: number,
    expiresIn = 3600,
    publicUrl?: string,
  ): Promise<DaemonGroup> {
    const upstream = await FakeCopilot.start();
    upstream.grants.expiresIn = expiresIn;
    const proxy = await PublicProxy.startPlain();
    const url = await postgres.createMigrated();
    const daemons: Daemon[] = [];
    const links: NetworkLink[] = [];
    const group = new DaemonGroup(upstream, url, proxy, daemons, links);
    proxy.behaviour = (...request) => passTo(group.next(daemons).url)(...request);
    try {
      for (let n = 0; n < count; n += 1) {
        const link = await NetworkLink.start(url);
        links.push(link);
        const environment = { ...postgresEnvironment(link.url), PUBLIC_URL: publicUrl ?? proxy.url };
        daemons.push(await Daemon.start({ upstream, environment }));
      }
      await daemons[0]!.connect();
      // On a busy machine the lease of the first one may have run out.
      const at = daemons.indexOf(await group.leader());
      daemons.unshift(...daemons.splice(at, 1));
      links.unshift(...links.splice(at, 1));
      return group;
    } catch (error) {
      await group.close();
      throw error;
    }
  }

  /** The newest webhook at Co-Pilot. */
  get webhook(): FakeWebhook {
    const webhook = [...this.upstream.webhooks.values()].at(-1);
    if (webhook === undefined) throw new Error('No webhook is registered.');
    return webhook;
  }

  /** Sends a notification to one of the daemons. */
  sendTo(daemon: Daemon, body: Buffer): Promise<AttemptOutcome> {
    const url = new URL(this.webhook.url);
    url.port = new URL(daemon.url).port;
    const sender = new WebhookSender({ ...this.webhook, url: url.href });
    return sender.send(body).finally(() => sender.close());
  }

  /**
   * Sends to all daemons in turns, as a load balancer.
   * @param skipsRefused whether the next daemon is asked if one does not listen; otherwise the sender is told
   */
  inTurns({ skipsRefused = false } = {}): Pick<WebhookSender, 'send'> {
    this.senders = this.daemons.map(({ url }) => {
      const address = new URL(this.webhook.url);
      address.port = new URL(url).port;
      return new WebhookSender({ ...this.webhook, url: address.href }, undefined, RESPONSE_TIMEOUT_MS);
    });
    const { senders } = this;
    let turn = 0;
    return {
      send: async (body) => {
        turn += 1;
        const inOrder = senders.map((_, i) => senders[(turn + i) % senders.length]!);
        const tries = skipsRefused ? inOrder : inOrder.slice(0, 1);
        let outcome: AttemptOutcome | null = null;
        for (const sender of tries) {
          outcome = await sender.send(body);
          if (outcome.code !== 'ECONNREFUSED') break;
        }
        return outcome!;
      },
    };
  }

  /**
   * Waits until the leader does not renew its tokens, nor will soon: if it is interrupted before it has stored them, another one
   * cannot know that the refresh token is spent.
   */
  async betweenRenewals(leader: Daemon): Promise<void> {
    let found: unknown;
    await until('no renewal is in progress or near', async () => {
      const connection = await leader.get<Connection>('/connection').catch((error: Error) => error);
      found = connection;
      if (connection instanceof Error || connection.state !== 'connected') return false;
      return Date.parse(connection.renews_at ?? '') - Date.now() > RENEWAL_IS_NEAR_MS;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(found)}\n${leader.output.slice(-4_000)}`);
    });
  }

  /** The network between a daemon and the server. */
  linkOf(daemon: Daemon): NetworkLink {
    return this.links[this.daemons.indexOf(daemon)]!;
  }

  /** All daemons, as one of them says. */
  list(asked: Daemon): Promise<DaemonList> {
    return asked.get<DaemonList>('/daemons');
  }

  /** Waits until another daemon than `former` leads and answers. @returns it */
  async leader(former: Daemon | null = null): Promise<Daemon> {
    let found: Daemon | undefined;
    await until(
      'a daemon leads',
      async () => {
        for (const asked of this.daemons) {
          if (asked === former || !asked.isRunning) continue;
          const entries = await this.list(asked).catch(() => []);
          const address = entries.find(({ leader }) => leader)?.address;
          found = this.daemons.find((one) => one !== former && one.isRunning && address === one.url);
          if (found !== undefined) return true;
        }
        return false;
      },
      TAKE_OVER_MS,
    );
    return found!;
  }

  async close(): Promise<void> {
    for (const sender of this.senders) sender.close();
    for (const daemon of this.daemons) await daemon.close();
    for (const link of this.links) await link.close();
    await this.proxy.close();
    await this.upstream.close();
  }

  private next<Item>(items: readonly Item[]): Item {
    this.turn += 1;
    return items[this.turn % items.length]!;
  }
}
