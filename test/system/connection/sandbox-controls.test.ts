import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { AuditEntry } from '../../../src/contract/audit';
import type { Duplicate } from '../../../src/contract/duplicate';
import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import { sandbox, sandboxEmitted, type Sandbox } from '../../../src/contract/sandbox';
import type { Session } from '../../../src/contract/session';
import { systemClock } from '../../../src/relay/ground/clock';
import { SandboxControls } from '../../../src/relay/connection/sandbox-controls';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { UpstreamHttp } from '../../../src/relay/connection/upstream-http';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { KNOWN_FAULTS } from '../../../ui/src/labels/fault-labels';
import { Demo } from '../../support/daemon/demo';
import { freePort } from '../../support/free-port';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { MachineFaults } from '../../../src/relay/ground/machine-faults';
import { ONLY_DAEMON } from '../../support/only-daemon';

describe('in the demo', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await Demo.start({ rate: 0 });
  });
  afterAll(() => demo.close());

  const events = async (query: string) =>
    (await demo.ask<Page<EventSummary>>('GET', `/events?${query}`)).data;

  it('the session says that there is a sandbox', async () => {
    expect((await demo.ask<Session>('GET', '/session')).sandbox).toBe(true);
  });

  it('the sandbox reports its state, and every fault has labels on the screen', async () => {
    const now = await demo.ask<Sandbox>('GET', '/sandbox');
    expect(sandbox.strict().parse(now)).toEqual(now);
    expect(now.traffic).toEqual({ events_per_second: 0, is_paused: false });
    expect(Object.keys(now.faults).toSorted()).toEqual([...KNOWN_FAULTS].toSorted());
    expect(new Set(Object.values(now.faults))).toEqual(new Set([false]));
  });

  it('a fault that is turned on happens, and the sandbox reports it', async () => {
    const turned = await demo.ask<Sandbox>('PATCH', '/sandbox/faults', { notifications_duplicated: 1 });
    expect(turned.faults['notifications_duplicated']).toBe(1);
    const created = await demo.ask('POST', '/sandbox/events', { type: 'deal.updated', data: { id: 4711 } });
    expect(created).toEqual(sandboxEmitted.strict().parse({ type: 'deal.updated', webhooks: 1 }));
    await until('the duplicate is held', async () => {
      const { data } = await demo.ask<Page<Duplicate>>('GET', '/duplicates');
      return data.some(({ state }) => state === 'held');
    });
    expect(await events('entity=deal:4711')).toMatchObject([{ duplicates: 1 }]);
    const { faults } = await demo.ask<Sandbox>('GET', '/sandbox');
    expect(faults['notifications_duplicated']).toBe(false);
  });

  it('a change at the sandbox itself is shown too', async () => {
    await demo.panel('PATCH', '/faults', { api_slow: true });
    expect((await demo.ask<Sandbox>('GET', '/sandbox')).faults['api_slow']).toBe(true);
    const off = await demo.ask<Sandbox>('PATCH', '/sandbox/faults', { api_slow: false });
    expect(off.faults['api_slow']).toBe(false);
  });

  /** Without system events, which may be created meanwhile. */
  const stored = async () =>
    (await events('limit=200')).filter(({ type }) => !type.startsWith('relay.')).length;

  it('a burst arrives completely', async () => {
    const before = await stored();
    await demo.ask('PATCH', '/sandbox/traffic', { burst: 30 });
    await until('the burst is stored', async () => (await stored()) === before + 30);
  });

  it('events occur at the configured rate, until it is stopped', async () => {
    const set = await demo.ask<Sandbox>('PATCH', '/sandbox/traffic', { events_per_second: 50 });
    expect(set.traffic).toEqual({ events_per_second: 50, is_paused: false });
    const [newest] = await events('limit=1');
    await until('more have arrived', async () => (await events('limit=1'))[0]!.seq > newest!.seq + 20);
    const stopped = await demo.ask<Sandbox>('PATCH', '/sandbox/traffic', { is_paused: true });
    expect(stopped.traffic).toEqual({ events_per_second: 50, is_paused: true });
  });

  it('what the sandbox rejects is rejected with its reason', async () => {
    const nonsense = demo.ask('PATCH', '/sandbox/faults', { moon_falls: true });
    await expect(nonsense).rejects.toThrow(/400: .*"sandbox_rejected".*moon_falls/);
    const path = demo.ask('PATCH', '/sandbox/faults', { '../traffic': true });
    await expect(path).rejects.toThrow(/400: .*"invalid_request"/);
  });

  it('actions there are in the audit log', async () => {
    const { data } = await demo.ask<Page<AuditEntry>>('GET', '/audit?limit=50');
    const recorded = new Set(data.map(({ action }) => action));
    for (const action of ['sandbox.faults', 'sandbox.traffic', 'sandbox.event'])
      expect(recorded).toContain(action);
  });

  it('the deals are the same after a restart, and events arrive again', async () => {
    const deals = async () => (await demo.panel<{ data: { id: number }[] }>('GET', '/deals')).data;
    const before = await deals();
    await demo.stop();
    await demo.restart();
    expect(await deals()).toEqual(before);
    const { id } = before[0]!;
    await until('the webhook is at the new address', async () => {
      const { webhooks } = await demo.ask<{ webhooks: number }>('POST', '/sandbox/events', {
        type: 'deal.updated',
        data: { id },
      });
      return webhooks === 1 && (await events(`entity=deal:${id}`)).length > 0;
    });
  });
});

describe('connected to a Co-Pilot that is not the sandbox of the demo', () => {
  let switchboard: Switchboard;
  beforeAll(async () => {
    switchboard = await Switchboard.start();
  });
  afterAll(() => switchboard.end());

  it('nothing can be controlled, and Co-Pilot receives no request', async () => {
    const asked = switchboard.upstream.requests.length;
    for (const [method, path, json] of [
      ['GET', '/sandbox', undefined],
      ['PATCH', '/sandbox/traffic', { burst: 1 }],
      ['PATCH', '/sandbox/faults', { api_500: true }],
      ['POST', '/sandbox/events', { type: 'deal.created' }],
    ] as const) {
      const response = await switchboard.ask(path, { method, ...(json !== undefined && { json }) });
      expect(response).toMatchObject({
        status: 404,
        json: { code: 'no_sandbox', remedy: expect.any(String) },
      });
    }
    expect(switchboard.upstream.requests).toHaveLength(asked);
    expect(((await switchboard.ask('/session')).json as Session).sandbox).toBe(false);
  });
});

/** The controls of a demo whose sandbox should be at `baseUrl`. */
const controlsOf = (baseUrl: string) => {
  const environment = {
    COPILOT_BASE_URL: baseUrl,
    COPILOT_CLIENT_ID: 'demo',
    COPILOT_CLIENT_SECRET: 'demo',
  };
  const demo = readSettings(environment, { isSandbox: true });
  const { leadership, leaderLink } = ONLY_DAEMON;
  return new SandboxControls(
    demo,
    new UpstreamHttp(demo, leadership, new HostAddresses(systemClock), new MachineFaults(leaderLink)),
  );
};

describe('a sandbox that cannot be controlled', () => {
  it('is reported as unavailable when nothing responds', async () => {
    await expect(controlsOf(`http://127.0.0.1:${await freePort()}`).show()).rejects.toMatchObject({
      code: 'sandbox_away',
      status: 503,
      message: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.any(String),
    });
  });

  it('is reported as unavailable when something else responds', async () => {
    const other = createServer((_, response) => response.end('<title>Hello</title>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      const change = controlsOf(`http://127.0.0.1:${port}`).changeFaults({ api_500: true });
      await expect(change).rejects.toMatchObject({ code: 'sandbox_away', status: 503 });
    } finally {
      other.close();
      await once(other, 'close');
    }
  });
});
