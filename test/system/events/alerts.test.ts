import { io } from 'socket.io-client';
import { alertSummary, type AlertSummary } from '../../../src/contract/alert';
import { delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { Daemon } from '../../support/daemon/daemon';
import { runInProcess } from '../../support/daemon/run-in-process';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { dealNotification } from '../../support/notification';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

/** A single attempt, so that a delivery that fails is dead at once. */
const ONE_ATTEMPT = { policy: { retry: { delays_s: [] }, breaker: null } };

let upstream: FakeCopilot;
let daemon: Daemon;
let orders: RecordingTarget;
let targetId: string;
const shown: AlertSummary[][] = [];
let socket: ReturnType<typeof io>;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  orders = await RecordingTarget.start(404);
  daemon = await Daemon.startConnected({ upstream });
  ({ id: targetId } = await daemon.addTarget('orders', orders.url, ONE_ATTEMPT));
  socket = io(`${daemon.url}/live`, {
    transports: ['websocket'],
    extraHeaders: { authorization: `Bearer ${daemon.token}` },
  });
  socket.on('alerts', ({ alerts }: { alerts: AlertSummary[] }) => shown.push(alerts));
  await until('the active alerts are received', () => shown.length > 0);
});

afterAll(async () => {
  socket?.disconnect();
  await daemon?.close();
  await orders?.close();
  await upstream?.close();
});

const listed = async (query = '') => pageOf(alertSummary).parse(await daemon.get(`/alerts${query}`)).data;

/** @returns what a command prints */
async function run(...command: string[]): Promise<string> {
  const settings = {
    COPILOT_BASE_URL: upstream.baseUrl,
    COPILOT_CLIENT_ID: upstream.clientId,
    COPILOT_CLIENT_SECRET: upstream.clientSecret,
  };
  return (await runInProcess([...command, '--data-dir', daemon.dataDir], settings)).out;
}

describe('an active alert', () => {
  it('does not exist at first, as dashboards, status and doctor report', async () => {
    expect(shown).toEqual([[]]);
    expect(await listed()).toEqual([]);
    const [status, doctor] = [await run('status'), await run('doctor')];
    expect(status).not.toContain('Issue');
    expect(doctor).toMatch(/ok +deliveries +No dead letters\.\n/);
    expect(doctor).toMatch(/ok +alerts +No other active alerts\.\n/);
  });

  it('is listed, and shown by dashboards immediately, by status and by doctor', async () => {
    const client = new WebhookSender(daemon.webhook);
    for (let id = 1; id <= 3; id += 1)
      await client.send(dealNotification({ id, webhookId: daemon.webhook.webhook_id }).body);
    client.close();
    await until('all are counted', () => shown.at(-1)?.[0]?.count === 3);
    const [alert] = await listed();
    expect(alert).toMatchObject({
      type: 'relay.delivery.dead',
      subject: `${targetId} 404`,
      severity: 'critical',
      sentence: 'Deliveries to orders became dead letters: HTTP 404 after 1 attempt.',
      count: 3,
      resolved_at: null,
    });
    expect(shown.at(-1)).toEqual([alert]);
    const [status, doctor] = [await run('status'), await run('doctor')];
    expect(status).toMatch(
      /^Issue +critical since 20\S+Z, 3 times: Deliveries to orders became dead letters: .* 1 attempt\. Fix the receiver/,
    );
    expect(status).toMatch(/Deliveries +0 queued, 3 dead letters\n/);
    expect(doctor.match(/problem +.*/g)).toHaveLength(1);
    expect(doctor).toMatch(/problem +deliveries +critical since .*dead letters.*\n +Fix the receiver/);
    expect(JSON.parse(await run('status', '--json'))).toMatchObject({ alerts: [alert] });
  });

  it('is resolved once all dead letters were retried successfully', async () => {
    orders.respondWith(204);
    await daemon.request('POST', '/deliveries/retry', { target: targetId });
    await until('dashboards are notified', () => shown.at(-1)!.length === 0);
    expect(await listed()).toEqual([]);
    await until('its end is stored', async () => (await listed('?state=resolved')).length === 1);
    const [resolved] = await listed('?state=resolved');
    expect(resolved).toMatchObject({
      resolution: 'All dead letters were retried, discarded, or delivered by a replay.',
    });
    expect((await daemon.request('GET', '/alerts?state=gone')).status).toBe(400);

    const letters = pageOf(delivery).parse(await daemon.get('/dead-letters')).data;
    expect(letters).toEqual([]);
    const [status, doctor] = [await run('status'), await run('doctor')];
    expect(status).toMatch(/^Connection/);
    expect(status).toMatch(/Deliveries +0 queued, 0 dead letters\n/);
    expect(doctor).not.toContain('problem');
  });
});
