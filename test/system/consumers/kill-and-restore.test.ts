import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConsumerEvents } from '../../../src/contract/consumer';
import type { TargetCreated } from '../../../src/contract/target';
import { Daemon } from '../../support/daemon/daemon';
import { runJson } from '../../support/daemon/run-command';
import { FakeCopilot } from '../../support/fakes/copilot';
import { ListenerProcess } from '../../support/fakes/listener-process';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { replaceByKeys } from '../../support/runs/restore-run';
import { until } from '../../support/until';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-kill-'));
let upstream: FakeCopilot;
let daemon: Daemon;
let client: WebhookSender;
let ids: string[];

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.startConnected({ upstream });
  client = new WebhookSender(daemon.webhook);
  await post('/consumers', { name: 'books' });
  ids = [await notify(1), await notify(2), await notify(3)];
});

afterAll(async () => {
  client?.close();
  await daemon?.close();
  await upstream?.close();
  rmSync(folder, { recursive: true });
});

const post = (path: string, body: object) => daemon.request('POST', path, body);

async function notify(id: number): Promise<string> {
  const { webhook_id } = daemon.webhook;
  const event = { event: 'deal.created', timestamp: new Date().toISOString(), webhook_id, data: { id } };
  return (await client.send(Buffer.from(JSON.stringify(event)))).id!;
}

const readBooks = async () =>
  (await post('/consumers/books/read', { take_over: true })).body as ConsumerEvents;

it('a consumer has what was committed, although the daemon is killed right after it said so', async () => {
  const { lease } = await readBooks();
  const { status } = await fetch(`${daemon.url}/api/v1/consumers/books/commit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ lease, position: ids[1] }),
  });
  await daemon.kill();
  expect(status).toBe(200);
  await daemon.restart();
  expect((await readBooks()).data.map(({ id }) => id)).toEqual([ids[2]]);
});

it('a restored hub has the position and the queue of the backup', async () => {
  const file = join(folder, 'backup.db');
  const { body } = await post('/targets', { kind: 'listener', name: 'laptop' });
  const { id } = body as TargetCreated;
  const queued = await notify(4);
  await runJson(daemon.dataDir, 'backup', file);
  const { lease } = await readBooks();
  expect(await post('/consumers/books/commit', { lease, position: queued })).toMatchObject({ status: 200 });

  await daemon.kill();
  replaceByKeys(daemon.dataDir);
  await runJson(daemon.dataDir, 'restore', file);
  await daemon.restart();
  expect((await readBooks()).data.map((event) => event.id)).toEqual([ids[2], queued]);
  const listener = await ListenerProcess.start(daemon.url, daemon.token, { target: id });
  await until('it gets what was queued', () => listener.confirmed.length === 1);
  expect(listener.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([queued]);
  listener.close();
});
