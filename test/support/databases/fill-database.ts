import { randomBytes } from 'node:crypto';
import type { Page } from '../../../src/contract/page';
import type { TargetCreated } from '../../../src/contract/target';
import { Switchboard } from '../daemon/switchboard';
import { RecordingTarget } from '../fakes/recording-target';
import { until } from '../until';

/** How the receiver responds, by the first part of the path. */
const STATUSES: Record<string, number> = { ok: 200, failing: 503, rejecting: 400, gone: 410 };

const NO_RETRIES = { retry: { delays_s: [] }, jitter: 0 };
const SLOW_RETRIES = { retry: { delays_s: [600, 600, 600, 600, 600] }, jitter: 0, breaker: null };

const HOUR = 3_600_000;

/**
 * Runs a daemon until its database has rows of every kind, and stops it: events of all sizes, deliveries in every state,
 * replays, alerts, an outage, tokens and so on.
 * @returns the addresses that the rows contain, by what stands for them in a fixture
 */
export async function fillDatabase(environment: Record<string, string>): Promise<Record<string, string>> {
  const receiver = await RecordingTarget.start((response, { path = '' }) =>
    response.writeHead(STATUSES[path.split('/')[1]!] ?? 404).end(),
  );
  const base = new URL(receiver.url).origin;
  let hub = await Switchboard.start({ environment });
  try {
    const targets = await addTargets(hub, base);
    await send(hub, targets);
    await actOn(hub, targets);
    await untilListed(hub, '/alerts');
    await untilListed(hub, '/rejections');
    // Minutes of statistics become hours at the next start.
    hub.clock.move(30 * HOUR);
    await hub.emit('deal.updated', { id: 1, name: 'A day later' });
    // After a day, a schema gets its first version as it is stored.
    await untilListed(hub, '/types');
    await hub.stop();
    hub.clock.move(HOUR);
    await hub.restart(environment);
    await untilListed(hub, '/outages');
    await post(hub, '/types/deal.updated/accept');
    await hub.emit('deal.updated', { id: 8, name: 'After the outage' });
    await repair(hub);
    return { '{copilot}': hub.upstream.baseUrl, '{receiver}': base };
  } finally {
    await hub.end();
    await receiver.close();
  }
}

const untilListed = (hub: Switchboard, path: string) =>
  until(`${path} has rows`, async () => ((await hub.ask(path)).json as Page<unknown>).data.length > 0);

type Targets = Record<
  'taking' | 'retrying' | 'ordered' | 'dead' | 'stopped' | 'gone' | 'paused' | 'changing' | 'shaped' | 'chat',
  TargetCreated
>;

async function addTargets(hub: Switchboard, base: string): Promise<Targets> {
  const add = (name: string, path: string, more: object = {}) =>
    hub.addTarget(name, `${base}/${path}`, ['*'], more);
  await post(hub, '/targets', { kind: 'listener', name: 'listener' });
  return {
    taking: await add('taking', 'ok/taking', {
      ed25519: true,
      signature: { header: 'x-own', form: '{hex}' },
      headers: [
        { name: 'x-tenant', value: 'blue' },
        { name: 'x-password', value: 'not a real one', secret: true },
      ],
    }),
    retrying: await add('retrying', 'failing/retrying', { policy: SLOW_RETRIES }),
    ordered: await add('in order', 'failing/ordered', { policy: { ...SLOW_RETRIES, ordering: 'entity' } }),
    dead: await add('rejecting', 'rejecting/dead', { policy: { ...NO_RETRIES, breaker: null } }),
    stopped: await add('stopping', 'rejecting/stopped', {
      policy: { ...NO_RETRIES, ordering: 'strict', on_dead: 'stop', breaker: null },
    }),
    gone: await add('gone', 'gone/away', {
      filter: { 'data.id': 1 },
    }),
    paused: await add('paused', 'ok/paused'),
    changing: await add('changing', 'ok/changing', { filter: { 'data.name': { $changed: true } } }),
    shaped: await add('shaped', 'ok/shaped', {
      transform: { language: 'jsonata', expression: '{"id": data.id}' },
    }),
    chat: await hub.addTarget('chat', `${base}/ok/chat`, ['relay.*'], { format: 'slack' }),
  };
}

async function send(hub: Switchboard, { paused, gone, retrying, ordered, stopped }: Targets): Promise<void> {
  await post(hub, `/targets/${paused.id}/pause`, {
    reason: 'being moved',
    until: new Date(hub.clock.now() + 365 * 86_400_000).toISOString(),
  });
  const first = hub.sign('deal.updated', { id: 1, name: 'First' });
  await hub.notify(first);
  await hub.notify(first);
  await hub.emit('deal.updated', { id: 1, name: 'Behind the first' });
  await hub.emit('contact.created', { id: 2, name: 'Large', note: 'x'.repeat(6_000) });
  const unreadable = Buffer.from('{"event": "deal.updated", not JSON');
  await hub.notify({ body: unreadable, signature: hub.upstream.sign(hub.webhook, unreadable) });
  await hub.notify({ body: Buffer.from('forged'), signature: randomBytes(32).toString('hex') });
  await until('deliveries are in every state', async () => {
    const states = await Promise.all(
      [retrying, ordered, stopped].map(async ({ id }) => {
        const { data } = (await hub.ask(`/deliveries?target=${id}&limit=200`)).json as Page<{
          state: string;
        }>;
        return data.map(({ state }) => state);
      }),
    );
    const { disabled } = (await hub.ask(`/targets/${gone.id}`)).json as { disabled: unknown };
    return (
      states[0]!.every((state) => state === 'retrying') &&
      states[1]!.includes('waiting') &&
      states[2]!.includes('dead') &&
      disabled !== null
    );
  });
}

/** What operators do. */
async function actOn(hub: Switchboard, { taking, retrying, dead, paused, shaped }: Targets): Promise<void> {
  const tests = [{ name: 'first', input: { data: { id: 1 } }, expected: { deal: 1 } }];
  const transform = { expression: '{"deal": data.id}', tests };
  await hub.ask(`/targets/${shaped.id}`, { method: 'PATCH', json: { transform } });
  const { data: events } = (await hub.ask('/events?entity=deal:1')).json as Page<{ id: string }>;
  const [newest] = events;
  await post(hub, `/events/${newest!.id}/resend`, {
    body: { event: 'deal.updated', edited: true },
    target_ids: [taking.id, retrying.id],
  });
  const replayTo = async (target: TargetCreated, rate: unknown) =>
    (await post(hub, '/replays', { filter: { types: ['deal.*'] }, target_ids: [target.id], rate })) as {
      id: string;
    };
  await replayTo(taking, 'as_fast_as_allowed');
  const cancelled = await replayTo(paused, 'as_fast_as_allowed');
  await until('it has created deliveries', async () => {
    const { deliveries } = (await hub.ask(`/replays/${cancelled.id}`)).json as { deliveries: number };
    return deliveries > 0;
  });
  await post(hub, `/replays/${cancelled.id}/cancel`);
  const halted = await replayTo(taking, { per_second: 0.01 });
  await post(hub, `/replays/${halted.id}/pause`);
  const { data: deadLetters } = (await hub.ask(`/dead-letters?target=${dead.id}`)).json as Page<{
    id: string;
  }>;
  await post(hub, `/deliveries/${deadLetters[0]!.id}/discard`, { reason: 'not wanted' });
  await post(hub, '/deliveries/retry', { target: dead.id, event: newest!.id });
  await post(hub, `/targets/${taking.id}/secret/rotate`);
  await post(hub, '/tokens', { name: 'reader', scopes: ['read'] });
  await post(hub, '/session', { token: hub.adminToken });
  await post(hub, '/login-links');
  await post(hub, '/consumers', { name: 'orders', types: ['deal.*'], start: 'oldest' });
  await post(hub, '/consumers/orders/read', {});
  await post(hub, '/saved-views', { name: 'Failed deals', address: '/events?type=deal.*&status=dead' });
  await erase(hub, 'contact:2');
  await post(hub, '/snoozes', { issue: `target.failing:${retrying.id}`, until: null });
}

async function erase(hub: Switchboard, entity: string): Promise<void> {
  const { until_seq } = (await post(hub, '/erasures/preview', { entity })) as { until_seq: number };
  await post(hub, '/erasures', { entity, until_seq, reason: 'asked for it' });
}

/** Stores the state of an unknown deal, and that another one differs. */
async function repair(hub: Switchboard): Promise<void> {
  const data = [
    { id: 1, name: 'Changed in silence' },
    { id: 9, name: 'Unknown' },
  ];
  hub.upstream.misbehave('GET /v1/deals', { status: 200, body: { data, next_cursor: null } });
  for (const [purpose, end] of [
    ['baseline', 'done'],
    ['repair', 'previewed'],
  ]) {
    const { id } = (await post(hub, '/repairs', { purpose })) as { id: string };
    await until(`${purpose} is ${end}`, async () => {
      const { state } = (await hub.ask(`/repairs/${id}`)).json as { state: string };
      if (state === 'settling') hub.clock.move(60_000);
      return state === end;
    });
  }
  hub.upstream.behave();
}

async function post(hub: Switchboard, path: string, json: object = {}): Promise<unknown> {
  const response = await hub.ask(path, { method: 'POST', json });
  if (response.status >= 300) throw new Error(`${path} returned ${response.status}: ${response.text}`);
  return response.json;
}
