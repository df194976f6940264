import type { Duplex } from 'node:stream';
import { until } from '../../support/until';
import { openHandshake } from '../../support/handshake';
import { makeToken } from '../access/token-fixture';
import { Listener, Login, cookie, listen, logIn, session, switchboard, useDashboards } from './dashboards';

useDashboards();

/** Waits until these bytes have been received. */
async function comes(socket: Duplex, bytes: readonly number[]): Promise<void> {
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  await until('they arrive', () => Buffer.concat(received).includes(Buffer.from(bytes)));
}

const openAs = (login: Login) =>
  new Listener({ cookie: login.cookie, origin: switchboard.origin }, { session: login.session });

describe('the socket', () => {
  it.each([
    ['with a wrong token', () => ({ authorization: 'Bearer wrong' }), 401, 'unauthorized'],
    [
      'with an invented session',
      () => ({ cookie: `${cookie.split('=')[0]!}=${'A'.repeat(43)}`, origin: switchboard.origin }),
      401,
      'unauthorized',
    ],
    [
      'with a session from a foreign origin',
      () => ({ cookie, origin: 'https://elsewhere.example' }),
      403,
      'origin_rejected',
    ],
    ['with a session and no Origin', () => ({ cookie }), 403, 'origin_rejected'],
    [
      'with a session and a foreign host name',
      () => ({ cookie, origin: switchboard.origin, host: 'elsewhere.example' }),
      403,
      'host_rejected',
    ],
  ])('is rejected %s, before the connection is upgraded', async (_, headers, status, code) => {
    expect(await openHandshake(switchboard.port, headers())).toMatchObject({ status, code, socket: null });
    const listener = new Listener(headers(), { session });
    await until('the rejection', () => listener.connectError !== null);
    await switchboard.emit('rejected.socket');
    expect(listener.messages).toEqual([]);
  });

  it.each([{}, { session: '' }, { session: 'x'.repeat(43) }, { session: [] }])(
    'is rejected with the cookie alone, which every port of the host can read: %j',
    async (auth) => {
      const listener = new Listener({ cookie, origin: switchboard.origin }, auth);
      await until('the rejection', () => listener.connectError !== null);
      expect(listener.connectError!.data).toEqual({ code: 'unauthorized' });
    },
  );

  it.each(['authorization', 'auth.token'])('is open to a token of the scope listen in %s', async (where) => {
    const { secret } = await makeToken(switchboard, ['listen']);
    const authorization = `Bearer ${secret}`;
    const listener =
      where === 'authorization' ? new Listener({ authorization }) : new Listener({}, { token: secret });
    await until('the first counters', () => listener.of('counters').length > 0);
  });

  it.each([
    ['without a token', async () => undefined, 'unauthorized'],
    ['with a wrong token', async () => 'wrong', 'unauthorized'],
    ['with a token that is no text', async () => ['wrong'], 'unauthorized'],
    [
      'with a token of another scope',
      async () => (await makeToken(switchboard, ['backup'])).secret,
      'scope_missing',
    ],
  ])('without a header is rejected %s in auth, and is sent nothing', async (_, token, code) => {
    const listener = new Listener({}, { token: await token() });
    await until('the rejection', () => listener.connectError !== null);
    expect(listener.connectError!.data).toEqual({ code });
    await switchboard.emit('rejected.socket');
    expect(listener.messages).toEqual([]);
  });

  it('publishes nothing outside its namespace', async () => {
    for (const headers of [{}, { authorization: `Bearer ${switchboard.adminToken}` }]) {
      const listener = new Listener(headers, {}, '/');
      await until('the rejection', () => listener.connectError !== null);
      expect(listener.isConnected).toBe(false);
      expect(listener.connectError!.message).toBe('Nothing is published in this namespace. Use /live.');
    }
  });

  it('that sends too many packets is closed, and others are not', async () => {
    const [flooding, other] = [await listen(), await listen()];
    for (let i = 0; i < 40; i += 1) other.say('anything');
    for (let i = 0; i < 400; i += 1) flooding.say('anything');
    await until('it is closed', () => !flooding.isConnected);
    await switchboard.emit('after.flood');
    await until('the other receives the event', () => other.of('events').length > 0);
    expect(other.isConnected).toBe(true);
  });

  it('that has not joined within five seconds, or sends a large message, is closed', async () => {
    const bearer = { authorization: `Bearer ${switchboard.adminToken}` };
    const [silent, talkative] = [
      await openHandshake(switchboard.port, bearer),
      await openHandshake(switchboard.port, bearer),
    ];
    // A masked frame of a text of 5,000 characters, of which only the first is sent.
    talkative.socket!.write(Buffer.from([0x81, 0xfe, 5_000 >> 8, 5_000 & 255, 0, 0, 0, 0, 0x34]));
    // Close frames (RFC 6455, 5.5.1), the second for a message that is too big (7.4.1).
    await Promise.all([
      comes(silent.socket!, [0x88]),
      comes(talkative.socket!, [0x88, 2, 1009 >> 8, 1009 & 255]),
    ]);
    for (const { socket } of [silent, talkative])
      await until('its connection ends, although it does not answer', () => socket!.destroyed);
  });

  it('is limited to 32 for each login; closing one makes room for another', async () => {
    const { secret } = await makeToken(switchboard, ['listen']);
    const open = () => openHandshake(switchboard.port, { authorization: `Bearer ${secret}` });
    const handshakes = await Promise.all(Array.from({ length: 32 }, open));
    expect(handshakes.map(({ status }) => status)).toEqual(handshakes.map(() => 101));
    expect(await open()).toMatchObject({ status: 429, code: 'too_many_sockets', retryAfter: '30' });
    expect(
      (await openHandshake(switchboard.port, { authorization: `Bearer ${switchboard.adminToken}` })).status,
    ).toBe(101);
    handshakes[0]!.socket!.destroy();
    await until('there is room', async () => {
      const one = await open();
      if (one.socket !== null) handshakes.push(one);
      return one.status === 101;
    });
    for (const { socket } of handshakes) socket!.destroy();
  });

  it('without a token is limited to 32 together, and counts for its login once it has one', async () => {
    const { secret } = await makeToken(switchboard, ['listen']);
    const listeners = Array.from({ length: 33 }, () => new Listener({}, { token: secret }));
    await until('all have been answered', () =>
      listeners.every((one) => one.isConnected || one.connectError !== null),
    );
    expect(listeners.filter((one) => one.isConnected)).toHaveLength(32);
    const handshakes = await Promise.all(Array.from({ length: 31 }, () => openHandshake(switchboard.port)));
    expect(handshakes.map(({ status }) => status)).toEqual(handshakes.map(() => 101));
    for (const { socket } of handshakes) socket!.destroy();
  });

  it("is open to a session on the dashboard's own page, and closed when the session is revoked", async () => {
    const [mine, other] = [await logIn(), await logIn()];
    const [listener, untouched] = [openAs(mine), openAs(other)];
    await until('both', () => listener.isConnected && untouched.isConnected);
    const headers: [string, string][] = [
      ['cookie', mine.cookie],
      ['origin', switchboard.origin],
      ['x-switchboard-request', mine.session],
    ];
    expect((await switchboard.wire.send('/api/v1/session', { method: 'DELETE', headers })).status).toBe(204);
    await until('the end', () => !listener.isConnected);
    expect(untouched.isConnected).toBe(true);
    const again = openAs(mine);
    await until('the rejection', () => again.connectError !== null);
  });
});
