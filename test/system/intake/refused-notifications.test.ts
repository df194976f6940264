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
/** Unless it is set. */
const BODY_LIMIT_BYTES = 8 * MIB;

let board: Switchboard;

beforeAll(async () => {
  board = await Switchboard.start();
});

afterAll(() => board.end());

const counted = async (): Promise<Map<string, number>> => {
  const { not_stored: counts } = await board.read(stats, '/stats');
  return new Map(counts.map(({ reason, count }) => [reason, count]));
};
const accepted = async () => (await board.read(stats, '/stats')).received.accepted;
const alertFor = async (reason: string): Promise<AlertSummary | undefined> => {
  const { data } = await board.read(pageOf(alertSummary), '/alerts');
  return data.find(({ type, subject }) => type === 'relay.notification.refused' && subject === reason);
};
const toldInLog = (reason: string) =>
  [...board.logged.matchAll(/"refused":(\{[^}]*\})/g)].filter(([, counts]) =>
    counts!.includes(`"${reason}"`),
  );

/** A notification whose body has this many bytes. */
const signedOf = (size: number) => {
  const { length } = board.sign('deal.created', { padding: '' }).body;
  return board.sign('deal.created', { padding: 'x'.repeat(size - length) });
};

/** Begins a notification and leaves it at that. */
async function begin(body: Buffer, bytes: number): Promise<Socket> {
  const socket = connect(board.port, '127.0.0.1');
  socket.write(`POST ${board.hookPath} HTTP/1.1\r\nhost: 127.0.0.1\r\n`);
  socket.write(`${SIGNATURE_HEADER}: ${board.upstream.sign(board.webhook, body)}\r\n`);
  socket.write(`content-length: ${body.length}\r\n\r\n`);
  await new Promise((written) => socket.write(body.subarray(0, bytes), written));
  return socket;
}

type NotStored = Stats['not_stored'][number]['reason'];

describe('a notification under a known key that is not stored', () => {
  const ways: [reason: NotStored, what: string, lose: () => Promise<void>][] = [
    [
      'too_large',
      'is too large',
      async () => {
        const answer = await board.notify(signedOf(BODY_LIMIT_BYTES + 1));
        expect(answer).toMatchObject({ status: 413, json: { code: 'too_large' } });
      },
    ],
    [
      'aborted',
      'breaks off',
      async () => {
        const { body } = board.sign('deal.created');
        const socket = await begin(body, body.length - 1);
        socket.end();
        await once(socket.resume(), 'close');
      },
    ],
    [
      'wrong_method',
      'was made a GET on the way',
      async () => expect((await board.wire.send(board.hookPath)).status).toBe(405),
    ],
    [
      'wrong_path',
      'has its path changed on the way',
      async () => {
        const path = board.hookPath.replace('/hooks/', '/hooks/hooks/');
        expect((await board.notify(board.sign('deal.created'), { path })).status).toBe(404);
      },
    ],
  ];

  it.each(ways)('is counted, logged and alerted as %s where it %s', async (reason, _, lose) => {
    const before = await accepted();
    await lose();
    await lose();
    await until('both are counted', async () => (await counted()).get(reason) === 2);
    await until('the alert counts both', async () => (await alertFor(reason))?.count === 2);
    const alert = (await alertFor(reason))!;
    expect(alert.sentence).toMatch(/Co-Pilot tries three times within 30 seconds, then drops/);
    expect(alert.remedy).not.toBe('');
    expect(toldInLog(reason).length).toBeGreaterThan(0);
    expect(await accepted()).toBe(before);
    await until('an event tells it', async () => {
      const { data } = await board.read(pageOf(eventSummary), '/events?type=relay.notification.refused');
      return data.length > 0;
    });
  });

  it('is one of those that `received` counts as refused', async () => {
    const { received } = await board.read(stats, '/stats');
    expect(received.refused).toBe(2 * ways.length);
  });

  it('is logged at most once a second, however many there are', async () => {
    const before = toldInLog('wrong_method').length;
    const startedAt = performance.now();
    for (let i = 0; i < 300; i += 1) await board.wire.send(board.hookPath);
    await until('all are counted', async () => (await counted()).get('wrong_method') === 302);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(toldInLog('wrong_method').length - before).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });
});

it('what comes under an unknown key is counted and logged, and no more: anybody can send it', async () => {
  for (const path of ['/hooks/nobody', '/hooks/', `${board.hookPath}x`])
    expect((await board.notify(board.sign('deal.created'), { path })).status).toBe(404);
  await until('all are counted', async () => (await counted()).get('unknown_key') === 3);
  await until('that is logged', () => toldInLog('unknown_key').length > 0);
  expect(await alertFor('unknown_key')).toBeUndefined();
});

describe('a notification of 8 MiB', () => {
  it('is stored', async () => {
    const notification = signedOf(BODY_LIMIT_BYTES);
    const { status, json } = await board.notify(notification);
    expect(status).toBe(200);
    const { body } = await board.ask(`/events/${(json as { id: string }).id}/body`);
    expect(body.equals(notification.body)).toBe(true);
  });

  it('that fits no signature is quarantined like any other', async () => {
    const body = Buffer.alloc(BODY_LIMIT_BYTES, 'x');
    expect((await board.notify({ body, signature: 'none' })).status).toBe(401);
    await until('it is kept', async () => {
      const { data } = await board.read(rejectionPage, '/rejections');
      return data.some(({ size_bytes: size }) => size === BODY_LIMIT_BYTES);
    });
  });

  it('is refused while too many come in at once and none goes on, the one first that has taken longest', async () => {
    const { body } = signedOf(BODY_LIMIT_BYTES);
    const sockets: Socket[] = [];
    for (let i = 0; i < 8; i += 1) sockets.push(await begin(body, body.length - 1));
    expect((await counted()).get('overload')).toBeUndefined();
    const answer = once(sockets[0]!, 'data');
    await until('there is too much', async () => {
      expect(await board.notify(signedOf(MIB))).toMatchObject({ status: 200 });
      return (await counted()).get('overload') === 1;
    });
    expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5/);

    sockets[1]!.write(body.subarray(-1));
    expect(String((await once(sockets[1]!, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
  });
});
