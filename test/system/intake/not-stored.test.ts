import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { alertSummary, type AlertSummary } from '../../../src/contract/alert';
import { eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { rejectionPage } from '../../../src/contract/rejection';
import { stats, type Stats } from '../../../src/contract/stats';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';

const MIB = 1024 * 1024;
/** The default limit. */
const BODY_LIMIT_BYTES = 8 * MIB;

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(() => switchboard.end());

const countsByReason = async (): Promise<Map<string, number>> => {
  const { not_stored: counts } = await switchboard.read(stats, '/stats');
  return new Map(counts.map(({ reason, count }) => [reason, count]));
};
const acceptedCount = async () => (await switchboard.read(stats, '/stats')).received.accepted;
const alertFor = async (reason: string): Promise<AlertSummary | undefined> => {
  const { data } = await switchboard.read(pageOf(alertSummary), '/alerts');
  return data.find(({ type, subject }) => type === 'relay.notification.not_stored' && subject === reason);
};
const logLinesFor = (reason: string) =>
  [...switchboard.logged.matchAll(/"not_stored":(\{[^}]*\})/g)].filter(([, counts]) =>
    counts!.includes(`"${reason}"`),
  );

/** A signed notification whose body has `size` bytes. */
const signedOfSize = (size: number) => {
  const { length } = switchboard.sign('deal.created', { padding: '' }).body;
  return switchboard.sign('deal.created', { padding: 'x'.repeat(size - length) });
};

/** Sends the first `bytes` of a signed notification, and leaves the connection open. */
async function sendStart(body: Buffer, bytes: number): Promise<Socket> {
  const socket = connect(switchboard.port, '127.0.0.1');
  socket.write(`POST ${switchboard.hookPath} HTTP/1.1\r\nhost: 127.0.0.1\r\n`);
  socket.write(`${SIGNATURE_HEADER}: ${switchboard.upstream.sign(switchboard.webhook, body)}\r\n`);
  socket.write(`content-length: ${body.length}\r\n\r\n`);
  await new Promise((written) => socket.write(body.subarray(0, bytes), written));
  return socket;
}

type NotStored = Stats['not_stored'][number]['reason'];

describe('a notification with a valid key that is not stored', () => {
  const cases: [reason: NotStored, what: string, send: () => Promise<void>][] = [
    [
      'too_large',
      'is too large',
      async () => {
        const response = await switchboard.notify(signedOfSize(BODY_LIMIT_BYTES + 1));
        expect(response).toMatchObject({ status: 413, json: { code: 'too_large' } });
      },
    ],
    [
      'aborted',
      'ends before its last byte',
      async () => {
        const { body } = switchboard.sign('deal.created');
        const socket = await sendStart(body, body.length - 1);
        socket.end();
        await once(socket.resume(), 'close');
      },
    ],
    [
      'wrong_method',
      'was turned into a GET by a proxy',
      async () => expect((await switchboard.wire.send(switchboard.hookPath)).status).toBe(405),
    ],
    [
      'wrong_path',
      'had its path changed by a proxy',
      async () => {
        const path = switchboard.hookPath.replace('/hooks/', '/hooks/hooks/');
        expect((await switchboard.notify(switchboard.sign('deal.created'), { path })).status).toBe(404);
      },
    ],
    ...(
      [
        ['headers_too_large', 'has large headers', `x-trace: ${'x'.repeat(40_000)}`, 431],
        ['malformed', 'has two Hosts', 'Host: 127.0.0.1', 400],
        ['expectation_failed', 'has an expectation', 'expect: more', 417],
      ] as const
    ).map(([reason, what, line, status]): (typeof cases)[number] => [
      reason,
      what,
      async () => {
        const socket = connect(switchboard.port, '127.0.0.1');
        socket.write(
          `POST ${switchboard.hookPath} HTTP/1.1\r\nhost: 127.0.0.1\r\n${line}\r\ncontent-length: 0\r\n\r\n`,
        );
        expect(String((await once(socket, 'data'))[0])).toContain(`HTTP/1.1 ${status} `);
        socket.destroy();
      },
    ]),
  ];

  it.each(cases)('is counted, logged and alerted as %s if it %s', async (reason, _, send) => {
    const before = await acceptedCount();
    await send();
    await send();
    await until('both are counted', async () => (await countsByReason()).get(reason) === 2);
    await until('the alert counts both', async () => (await alertFor(reason))?.count === 2);
    const alert = (await alertFor(reason))!;
    expect(alert.sentence).toMatch(/Co-Pilot tries three times within 30 seconds, then drops/);
    expect(alert.remedy).not.toBe('');
    expect(logLinesFor(reason).length).toBeGreaterThan(0);
    expect(await acceptedCount()).toBe(before);
    await until('an event reports it', async () => {
      const { data } = await switchboard.read(
        pageOf(eventSummary),
        '/events?type=relay.notification.not_stored',
      );
      return data.length > 0;
    });
  });

  it('is counted in `received.not_stored`', async () => {
    const { received } = await switchboard.read(stats, '/stats');
    expect(received.not_stored).toBe(2 * cases.length);
  });

  it('is logged at most once a second, however many there are', async () => {
    const before = logLinesFor('wrong_method').length;
    const startedAt = performance.now();
    for (let i = 0; i < 300; i += 1) await switchboard.wire.send(switchboard.hookPath);
    await until('all are counted', async () => (await countsByReason()).get('wrong_method') === 302);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(logLinesFor('wrong_method').length - before).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });
});

it.each(['//hooks/', '/hub/hooks/'])(
  'a notification below %s is counted as one on a wrong path',
  async (changed) => {
    const before = (await countsByReason()).get('wrong_path') ?? 0;
    const path = switchboard.hookPath.replace('/hooks/', changed);
    expect((await switchboard.notify(switchboard.sign('deal.created'), { path })).status).toBe(404);
    expect((await countsByReason()).get('wrong_path')).toBe(before + 1);
  },
);

it('requests with an unknown key, which anyone can send, are counted and logged, but raise no alert', async () => {
  for (const path of ['/hooks/nobody', '/hooks/', `${switchboard.hookPath}x`])
    expect((await switchboard.notify(switchboard.sign('deal.created'), { path })).status).toBe(404);
  await until('all are counted', async () => (await countsByReason()).get('unknown_key') === 3);
  await until('the count is logged', () => logLinesFor('unknown_key').length > 0);
  expect(await alertFor('unknown_key')).toBeUndefined();
});

it('what the HTTP server refuses is counted without a key, too, but raises no alert', async () => {
  const send = async (text: string) => {
    const socket = connect(switchboard.port, '127.0.0.1');
    socket.write(text);
    await once(socket.resume(), 'close');
  };
  const before = (await countsByReason()).get('unknown_key') ?? 0;
  await send('POST /hooks/nobody HTTP/1.1\r\nno header\r\n\r\n');
  await send('GET /api/v1/events HTTP/1.1\r\nno header\r\n\r\n');
  await send('no request\r\n\r\n');
  await until(
    'one is counted under its key',
    async () => (await countsByReason()).get('unknown_key') === before + 1,
  );
  expect((await countsByReason()).get('unidentified')).toBe(1);
  expect(await alertFor('unidentified')).toBeUndefined();
  const { text } = await switchboard.wire.send('/metrics', { headers: switchboard.bearer });
  expect(text).toContain('switchboard_notifications_not_stored_total{reason="headers_too_large"} 2');
  expect(switchboard.logged).not.toContain(switchboard.hookPath);
});

describe('a notification of 8 MiB', () => {
  it('is stored', async () => {
    const notification = signedOfSize(BODY_LIMIT_BYTES);
    const { status, json } = await switchboard.notify(notification);
    expect(status).toBe(200);
    const { body } = await switchboard.ask(`/events/${(json as { id: string }).id}/body`);
    expect(body.equals(notification.body)).toBe(true);
  });

  it('without a matching signature is quarantined like any other', async () => {
    const body = Buffer.alloc(BODY_LIMIT_BYTES, 'x');
    expect((await switchboard.notify({ body, signature: 'none' })).status).toBe(401);
    await until('it is quarantined', async () => {
      const { data } = await switchboard.read(rejectionPage, '/rejections');
      return data.some(({ size_bytes: size }) => size === BODY_LIMIT_BYTES);
    });
  });

  it('is answered with 503 while stalled bodies use up the memory; the body that stalls longest is dropped first', async () => {
    const { body } = signedOfSize(BODY_LIMIT_BYTES);
    const sockets: Socket[] = [];
    for (let i = 0; i < 8; i += 1) sockets.push(await sendStart(body, body.length - 1));
    expect((await countsByReason()).get('overload')).toBeUndefined();
    const response = once(sockets[0]!, 'data');
    await until('there are too many', async () => {
      expect(await switchboard.notify(signedOfSize(MIB))).toMatchObject({ status: 200 });
      return (await countsByReason()).get('overload') === 1;
    });
    expect(String((await response)[0])).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5/);

    const newest = sockets.at(-1)!;
    newest.write(body.subarray(-1));
    expect(String((await once(newest, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
  });
});
