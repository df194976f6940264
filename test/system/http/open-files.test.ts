import { connect, type Socket } from 'node:net';
import type { AlertSummary } from '../../../src/contract/alert';
import type { Delivery } from '../../../src/contract/delivery';
import type { Page } from '../../../src/contract/page';
import { Daemon } from '../../support/daemon/daemon';
import { FakeCopilot } from '../../support/fakes/copilot';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { dealNotification } from '../../support/notification';
import { leaveNoFreeFile, limitOpenFiles } from '../../support/open-files';
import { until } from '../../support/until';

const LIMIT = 110;

const QUEUED = { status: 200, body: { backlog: { open: 5 }, breaker: null } };
/** As long as the thread that reads has not started. */
const NOT_READABLE = {
  status: 503,
  body: { code: 'storage_failed', remedy: expect.stringMatching(/LimitNOFILE=/) },
};

describe('a daemon that may open few files', () => {
  let upstream: FakeCopilot;
  let daemon: Daemon;
  let client: WebhookSender;
  let receiver: RecordingTarget;
  let stored: Buffer;
  const sockets: Socket[] = [];
  let lastId = 0;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    // A connection that is closed later would leave its number to the next one.
    receiver = await RecordingTarget.start((response) => response.setHeader('connection', 'close').end());
    daemon = await Daemon.startConnected({
      upstream,
      under: ['/bin/sh', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'sh'],
    });
    client = new WebhookSender(daemon.webhook);
    await notify((stored = nextBody()));
  });

  afterEach(() => limitOpenFiles(daemon.pid, LIMIT));

  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    client?.close();
    await daemon?.close();
    await Promise.all([upstream?.close(), receiver?.close()]);
  });

  /** @returns the id of the event */
  const notify = async (body = nextBody()) => {
    const { status, id } = await client.send(body);
    expect(status).toBe(200);
    return id!;
  };
  const nextBody = () => dealNotification({ id: (lastId += 1), webhookId: daemon.webhook.webhook_id }).body;
  /** Has no file descriptor left while events arrive for a new target. @returns its id */
  const sendWithout = async (name: string) => {
    const { id } = await daemon.addTarget(name, receiver.url);
    // A duplicate, which is not delivered: a new connection could not be accepted later.
    await notify(stored);
    leaveNoFreeFile(daemon.pid);
    for (let i = 0; i < 5; i += 1) await notify();
    return id;
  };
  const alerts = async () =>
    (await daemon.get<Page<AlertSummary>>('/alerts')).data.filter(
      ({ type }) => type === 'relay.machine.fault',
    );

  it('attempts without a free one are not charged to a target, raise an alert that names the limit, and are made again', async () => {
    // The first attempts start the thread that sends; those to the second target find it running.
    for (const [name, hits] of [
      ['first', 5],
      ['second', 15],
    ] as const) {
      const id = await sendWithout(name);
      await until('it is reported', async () => (await alerts()).length === 1);
      const { status, body } = await daemon.request('GET', `/targets/${id}`);
      expect({ status, body }).toMatchObject(name === 'first' && status !== 200 ? NOT_READABLE : QUEUED);
      limitOpenFiles(daemon.pid, LIMIT);
      await until('all are delivered', () => receiver.hits.length === hits);
      const delivered = async () =>
        (await daemon.get<Page<Delivery>>(`/deliveries?target=${id}&status=succeeded`)).data;
      await until('their results are stored', async () => (await delivered()).length === 5);
      expect((await delivered()).map((one) => one.attempt_count)).toEqual([1, 1, 1, 1, 1]);
    }
    expect((await alerts())[0]).toMatchObject({
      severity: 'critical',
      sentence: expect.stringMatching(/may not open more than 110 files and connections \(EMFILE\)/),
      remedy: expect.stringMatching(/LimitNOFILE=/),
    });
  });

  it('says so, starts and delivers though clients would take all of them', async () => {
    expect(daemon.output).toMatch(
      /"max_open_files":110,"max_connections":\d+.*this process may open few files/,
    );
    await daemon.addTarget('last', new URL('/last', receiver.url).href);
    const delivered = (id: string) =>
      until('it is delivered', () => receiver.of(id).some(({ path }) => path === '/last'));
    const { port } = new URL(daemon.url);
    const flood = () => {
      for (let i = 0; i < 120; i += 1)
        sockets.push(connect(Number(port), '127.0.0.1').on('error', () => undefined));
    };
    const written = daemon.output.length;
    flood();
    // The connection that the client had kept may be closed to make room.
    client.close();
    client = new WebhookSender(daemon.webhook);
    await delivered(await notify());
    await daemon.stop();
    const started = daemon.restart();
    const timer = setInterval(flood, 200);
    await started;
    clearInterval(timer);
    await delivered(await notify());
    expect(daemon.output.slice(written)).not.toMatch(/EMFILE/);
  });
});
