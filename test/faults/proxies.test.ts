import { spawnSync } from 'node:child_process';
import type { Stats } from '../../src/contract/stats';
import { ProxiedHub } from '../support/proxies/proxied-hub';
import { RECIPES } from '../support/proxies/recipes';
import { until } from '../support/until';

// Where Debian has nginx and HAProxy.
process.env['PATH'] += ':/usr/sbin';
const isInstalled = ({ program }: { program: string }) => spawnSync('which', [program]).status === 0;
const FORGED = { 'remote-user': 'ann', 'remote-groups': 'admins', 'x-proxy-secret': 'guessed' };
const MIB = 1_024 * 1_024;

const installed = RECIPES.filter(isInstalled);

it(`the recipes of the installed programs are tried: ${installed.map(({ program }) => program).join(', ') || 'none'}`, () => {
  expect(installed.length).toBeGreaterThan(0);
});

describe.each(installed)('behind $program, as its recipe sets it up,', (recipe) => {
  let hub: ProxiedHub;
  beforeAll(async () => {
    hub = await ProxiedHub.start(recipe);
  });
  afterAll(() => hub?.close());

  const session = (headers: Record<string, string>) => hub.ask('/api/v1/session', headers);

  it('people have the role of their group, and see the dashboard', async () => {
    const { status, text } = await hub.ask('/', hub.pageHeaders('ann'));
    expect([status, text]).toEqual([200, expect.stringContaining('<title>')]);
    expect((await session(hub.pageHeaders('ann'))).json).toMatchObject({ via: 'user', name: 'ann' });
    expect((await session(hub.pageHeaders('ann'))).json!['scopes']).toContain('admin');
    expect((await session(hub.pageHeaders('otto'))).json!['scopes']).toEqual(['read', 'operate']);
  });

  it('nobody becomes a user by sending the headers of the proxy', async () => {
    expect((await session(FORGED)).status).toBe(401);
    expect((await session({ ...FORGED, authorization: 'Bearer wrong' })).status).toBe(401);
    const asOtto = await session({ ...hub.pageHeaders('otto'), ...FORGED });
    expect(asOtto.json).toMatchObject({ name: 'otto', scopes: ['read', 'operate'] });
    const health = await hub.ask('/readyz', { ...hub.pageHeaders('nobody'), ...FORGED });
    expect([health.status, health.json]).toEqual([200, (await hub.ask('/readyz')).json]);
    expect(health.json).not.toHaveProperty('checks');
  });

  it('programs come in with a token alone', async () => {
    const authorization = `Bearer ${hub.daemon.token}`;
    expect((await session({ authorization, ...FORGED })).json).toMatchObject({ via: 'token' });
    expect((await hub.upgrade({ authorization })).status).toBe(101);
  });

  it('live connections pass, of the own pages only', async () => {
    const headers = hub.pageHeaders('otto');
    expect((await hub.upgrade(headers)).status).toBe(101);
    expect((await hub.upgrade({ ...headers, origin: 'https://other.example' })).status).toBe(403);
    expect((await hub.upgrade({})).status).toBe(401);
  });

  it('notifications are stored, up to the limit of the daemon, which reports larger ones', async () => {
    const notification = Buffer.from(
      JSON.stringify({ event: 'deal.updated', data: { text: 'x'.repeat(7 * MIB) } }),
    );
    expect(await hub.notify(notification, FORGED)).toMatchObject({
      status: 200,
      json: { status: 'accepted' },
    });
    const tooLarge = Buffer.alloc(9 * MIB, ' ');
    // It answers before the end of the body, and closes the connection: the answer may be lost.
    const answer = await hub.notify(tooLarge).catch(() => ({ status: 413 }));
    expect(answer.status).toBe(413);
    await until('the daemon reports it', async () => {
      const { not_stored: reasons } = await hub.daemon.get<Stats>('/stats');
      return reasons.some(({ reason, count }) => reason === 'too_large' && count === 1);
    });
  });

  it('a request that the hub holds is not cut off', async () => {
    const authorization = `Bearer ${hub.daemon.token}`;
    const { status } = await hub.ask('/api/v1/events?after=newest&wait=30&type=none.such', { authorization });
    expect(status).toBe(200);
  });
});
