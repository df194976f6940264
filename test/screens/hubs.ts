import type { ReplaySummary } from '../../src/contract/replay';
import type { LoginLink } from '../../src/contract/session';
import type { Stats } from '../../src/contract/stats';
import type { TargetCreated } from '../../src/contract/target';
import { Daemon } from '../support/daemon/daemon';
import { Demo } from '../support/daemon/demo';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';

/** A running hub with data. */
export interface Hub {
  /** Creates a one-time login link. */
  loginLink: () => Promise<string>;
  ask: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  /** Whether it is the demo, with a sandbox. */
  isDemo: boolean;
  close: () => Promise<void>;
}

const AWAY_MS = 9 * 60_000;
const WITHIN_MS = 60_000;
const ONE_ATTEMPT = { retry: { delays_s: [] }, breaker: null };

/** A busy hub: targets in many states, dead letters, replays, tokens, held duplicates, quarantine. */
export async function busyHub(): Promise<Hub> {
  const demo = await Demo.start({ rate: 4 });
  const shop = await RecordingTarget.start();
  const strict = await RecordingTarget.start(422);
  const gone = await RecordingTarget.start(500);
  const close = async () => {
    await demo.close();
    await Promise.all([shop, strict, gone].map((target) => target.close()));
  };
  try {
    const warehouse = await demo.addTarget('warehouse', shop.url, { policy: { ordering: 'entity' } });
    await demo.addTarget('billing', strict.url, {
      events: ['deal.*'],
      filter: { 'data.status_id': { $gte: 2 } },
      policy: ONE_ATTEMPT,
    });
    await demo.addTarget('analytics', gone.url, {
      policy: { breaker: { failures: 3, first_probe_s: 30, cap_s: 300 } },
    });
    const archive = await demo.addTarget('archive', shop.url, { events: ['*', 'relay.*'] });
    await demo.addTarget('staging', shop.url, { enabled: false });
    await demo.ask('POST', `/targets/${archive.id}/pause`);
    await demo.ask('POST', '/tokens', { name: 'nightly export', scopes: ['read'], expires_at: null });
    await demo.ask('POST', '/tokens', {
      name: 'on call',
      scopes: ['read', 'operate'],
      expires_at: inDays(30),
    });
    await demo.panel('PATCH', '/traffic', { burst: 150 });
    await until('the burst is stored', async () => (await stats(demo)).last_seq > 150, WITHIN_MS);
    await demo.panel('PATCH', '/faults', { notifications_duplicated: 3 });
    await forge(demo);
    await replay(demo, warehouse, 'as_fast_as_allowed');
    await replay(demo, warehouse, { per_second: 2 });
    await until('deliveries have failed', async () => (await stats(demo)).deliveries.dead > 20, WITHIN_MS);
    return hubOf(demo, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** A new hub: not connected, without targets and events. */
export async function emptyHub(): Promise<Hub> {
  const upstream = await FakeCopilot.start();
  const daemon = await Daemon.start({ upstream });
  const ask = async <T>(method: string, path: string, body?: unknown) =>
    (await daemon.request(method, path, body)).body as T;
  return {
    loginLink: async () => (await ask<LoginLink>('POST', '/login-links')).url,
    ask,
    isDemo: false,
    close: async () => {
      await daemon.close();
      await upstream.close();
    },
  };
}

/** A hub with problems: revoked consent, failing API, all targets down, and a recent downtime. */
export async function brokenHub(): Promise<Hub> {
  const demo = await Demo.start({ rate: 4 });
  const down = await RecordingTarget.start(503);
  const removed = await RecordingTarget.start(410);
  const close = async () => {
    await demo.close();
    await Promise.all([down, removed].map((target) => target.close()));
  };
  try {
    await demo.addTarget('warehouse', down.url, {
      policy: { ordering: 'strict', on_dead: 'stop', ...ONE_ATTEMPT },
    });
    await demo.addTarget('analytics', down.url, {
      policy: { breaker: { failures: 2, first_probe_s: 60, cap_s: 300 } },
    });
    await demo.addTarget('ledger', 'http://127.0.0.1:9/');
    await demo.addTarget('old shop', removed.url);
    await until('events arrived', async () => (await stats(demo)).last_seq > 20, WITHIN_MS);
    await demo.stop();
    demo.alterDatabase(`UPDATE heartbeat SET at = at - ${AWAY_MS}`);
    await demo.restart();
    const { data: grants } = await demo.panel<{ data: { id: string }[] }>('GET', '/refresh-tokens');
    for (const { id } of grants) await demo.panel('DELETE', `/refresh-tokens/${id}`);
    await demo.panel('PATCH', '/faults', { api_401: true });
    await demo.ask('POST', '/subscription/repair').catch(() => undefined);
    return hubOf(demo, close);
  } catch (error) {
    await close();
    throw error;
  }
}

const hubOf = (demo: Demo, close: () => Promise<void>): Hub => ({
  loginLink: async () => (await demo.ask<LoginLink>('POST', '/login-links')).url,
  ask: (...request) => demo.ask(...request),
  isDemo: true,
  close,
});

const stats = (demo: Demo) => demo.ask<Stats>('GET', '/stats');

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const replay = (demo: Demo, to: TargetCreated, rate: ReplaySummary['rate']) =>
  demo.ask('POST', '/replays', { filter: { types: ['deal.*'] }, target_ids: [to.id], rate });

/** Sends a notification with an invalid signature. */
async function forge(demo: Demo): Promise<void> {
  const { data } = await demo.panel<{ data: { url: string }[] }>('GET', '/webhooks');
  const body = JSON.stringify({
    event: 'deal.created',
    timestamp: new Date().toISOString(),
    data: { id: 1 },
  });
  const headers = { 'content-type': 'application/json', 'x-copilot-signature': '0'.repeat(64) };
  await fetch(data[0]!.url, { method: 'POST', headers, body });
}
