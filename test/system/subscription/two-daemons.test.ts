import type { Subscription } from '../../../src/contract/subscription';
import { Daemon } from '../../support/daemon/daemon';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const PUBLIC_URL = 'https://laptops.example';

const subscription = (daemon: Daemon) => daemon.get<Subscription>('/subscription');
const act = (daemon: Daemon, name: string) =>
  fetch(`${daemon.url}/api/v1/subscription/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.token}` },
  });

describe('two daemons with the same PUBLIC_URL', () => {
  let upstream: FakeCopilot;
  let daemons: Daemon[];

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemons = [];
    for (let i = 0; i < 2; i += 1) {
      const daemon = await Daemon.start({ upstream, environment: { PUBLIC_URL } });
      daemons.push(daemon);
      await daemon.connect();
    }
  });
  afterAll(async () => {
    for (const daemon of daemons) await daemon.close();
    await upstream.close();
  });

  const idsOf = async () => {
    const ids: (string | null)[] = [];
    for (const daemon of daemons) ids.push((await subscription(daemon)).webhook_id);
    return ids;
  };

  it('have one webhook each, and show the other one as foreign', async () => {
    expect(new Set(await idsOf())).toEqual(new Set(upstream.webhooks.keys()));
    expect(upstream.webhooks.size).toBe(2);
    for (const daemon of daemons) expect((await act(daemon, 'repair')).status).toBe(200);
    const [first, second] = await idsOf();
    const foreign = await Promise.all(daemons.map(async (daemon) => (await subscription(daemon)).foreign));
    expect(foreign).toMatchObject([
      [{ webhook_id: second, url: `${PUBLIC_URL}/hooks/…`, active: true }],
      [{ webhook_id: first, url: `${PUBLIC_URL}/hooks/…`, active: true }],
    ]);
  });

  it('never change the webhook of the other, whatever they do and however they end', async () => {
    const [mine, others] = daemons as [Daemon, Daemon];
    const { webhook_id } = await subscription(others);
    const before = structuredClone(upstream.webhooks.get(webhook_id!));
    for (const name of ['repair', 'pause', 'resume', 'rotate', 'repair'])
      expect((await act(mine, name)).status).toBe(200);
    await mine.kill();
    await mine.restart();
    await until(
      'the webhook is checked after the start',
      async () => (await subscription(mine)).foreign.length === 1,
    );
    upstream.webhooks.delete((await subscription(mine)).webhook_id!);
    expect((await act(mine, 'repair')).status).toBe(200);
    expect(upstream.webhooks.get(webhook_id!)).toEqual(before);
    expect((await act(others, 'repair')).status).toBe(200);
    expect((await subscription(others)).drift).toEqual([]);
  });
});
