import type { Duplex } from 'node:stream';
import type { DefaultEventsMap } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { connection } from '../../../src/contract/connection';
import { delivery, type Delivery } from '../../../src/contract/delivery';
import { eventSummary, type EventSummary } from '../../../src/contract/event';
import type { LiveGap, LiveMessages } from '../../../src/contract/live';
import { replayDetail, replaySummary, type ReplaySummary } from '../../../src/contract/replay';
import { stats, type Stats } from '../../../src/contract/stats';
import { subscription } from '../../../src/contract/subscription';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { openHandshake } from '../../support/handshake';
import { until } from '../../support/until';
import { makeToken } from '../access/token-fixture';

let switchboard: Switchboard;
let receiver: RecordingTarget;
const startReceiver = useReceivers();
let cookie: string;
let session: string;
const opened: Listener[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  switchboard = await Switchboard.start();
  ({ cookie, session } = await logIn());
});

afterEach(() => {
  for (const listener of opened.splice(0)) listener.close();
});

afterAll(() => switchboard.end());

interface Login {
  cookie: string;
  session: string;
}

async function logIn(): Promise<Login> {
  const json = JSON.stringify({ token: switchboard.adminToken });
  const headers: [string, string][] = [['content-type', 'application/json']];
  const response = await switchboard.wire.send('/api/v1/session', { method: 'POST', headers, body: json });
  return {
    cookie: response.headers['set-cookie']![0]!.split(';')[0]!,
    session: (response.json as { secret: string }).secret,
  };
}

/** A dashboard's socket: every message it received, and when. */
class Listener {
  readonly messages: { kind: string; at: number; content: unknown }[] = [];
  connectError: { message: string; data?: { code: string } } | null = null;
  private readonly socket: Socket<LiveMessages, DefaultEventsMap>;

  constructor(headers: Record<string, string>, auth: Record<string, unknown> = {}, namespace = '/live') {
    this.socket = io(`${switchboard.origin}${namespace}`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: headers,
      auth,
    });
    this.socket.onAny((kind: string, content: unknown) =>
      this.messages.push({ kind, at: performance.now(), content }),
    );
    this.socket.on('connect_error', (error) => (this.connectError = error));
    opened.push(this);
  }

  get isConnected(): boolean {
    return this.socket.connected;
  }

  say(what: string): void {
    this.socket.emit(what as never);
  }

  of<Content>(kind: string): Content[] {
    return this.messages.filter((one) => one.kind === kind).map(({ content }) => content as Content);
  }

  get events(): EventSummary[] {
    return this.of<EventSummary[]>('events').flat();
  }

  get seqs(): number[] {
    return this.events.map(({ seq }) => seq);
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** Connected, with the current state received. */
async function listen(headers: Record<string, string> = {}, auth: object = {}): Promise<Listener> {
  const listener = new Listener(
    { authorization: `Bearer ${switchboard.adminToken}`, ...headers },
    { ...auth },
  );
  await until('the first counters', () => listener.of('counters').length > 0);
  return listener;
}

/** Waits until these bytes have been received. */
async function comes(socket: Duplex, bytes: readonly number[]): Promise<void> {
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  await until('they arrive', () => Buffer.concat(received).includes(Buffer.from(bytes)));
}

it('is told which targets another client pauses, resumes and removes, at once', async () => {
  const { id } = await switchboard.addTarget('watched', receiver.url, ['watched.*']);
  const listener = await listen();
  const changed = () =>
    listener.of<{ target_ids: string[] }>('targets').flatMap((message) => message.target_ids);
  const changes: [method: string, path: string][] = [
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['DELETE', ''],
  ];
  for (const [method, path] of changes) {
    const before = changed().length;
    await switchboard.ask(`/targets/${id}${path}`, { method });
    await until(`the message after ${method} ${path}`, () => changed().slice(before).includes(id), 5_000);
  }
});

const lastSeq = async () => (await switchboard.read(stats, '/stats')).last_seq;

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
    const open = () => openHandshake(switchboard.port);
    const listeners = Array.from({ length: 33 }, () => new Listener({}, { token: secret }));
    await until('all have been answered', () =>
      listeners.every((one) => one.isConnected || one.connectError !== null),
    );
    expect(listeners.filter((one) => one.isConnected)).toHaveLength(32);
    const handshakes = await Promise.all(Array.from({ length: 31 }, open));
    expect(handshakes.map(({ status }) => status)).toEqual(handshakes.map(() => 101));
    for (const { socket } of handshakes) socket!.destroy();
  });

  it("is open to a session on the dashboard's own page, and closed when the session is revoked", async () => {
    const [mine, other] = [await logIn(), await logIn()];
    const open = (login: Login) =>
      new Listener({ cookie: login.cookie, origin: switchboard.origin }, { session: login.session });
    const [listener, untouched] = [open(mine), open(other)];
    await until('both', () => listener.isConnected && untouched.isConnected);
    const headers: [string, string][] = [
      ['cookie', mine.cookie],
      ['origin', switchboard.origin],
      ['x-switchboard-request', mine.session],
    ];
    expect((await switchboard.wire.send('/api/v1/session', { method: 'DELETE', headers })).status).toBe(204);
    await until('the end', () => !listener.isConnected);
    expect(untouched.isConnected).toBe(true);
    const again = open(mine);
    await until('the rejection', () => again.connectError !== null);
  });
});

describe('what is published', () => {
  it('is the current state, then each event and each change of a delivery, as in the contract', async () => {
    const { id: targetId } = await switchboard.addTarget('live', receiver.url, ['live.*']);
    const listener = await listen();
    const [standing] = listener.of<{ connection: unknown; subscription: unknown }>('connection');
    expect(connection.parse(standing!.connection)).toEqual(standing!.connection);
    expect(subscription.parse(standing!.subscription)).toEqual(standing!.subscription);
    const [counters] = listener.of<Stats>('counters');
    expect(stats.parse(counters)).toEqual(counters);

    const id = await switchboard.emit('live.event', { id: 1, name: 'Told' });
    await until('the event', () => listener.events.some((event) => event.id === id));
    const summary = listener.events.find((event) => event.id === id)!;
    expect(eventSummary.parse(summary)).toEqual(summary);
    expect(summary).toMatchObject({ type: 'live.event', entity: 'live:1', name: 'Told', status: 'pending' });
    const deliveries = () => listener.of<Delivery[]>('deliveries').flat();
    await until('the delivery', () =>
      deliveries().some(({ event_id, state }) => event_id === id && state === 'succeeded'),
    );
    const published = deliveries().find(({ event_id }) => event_id === id)!;
    expect(delivery.parse(published)).toEqual(published);
    expect(published.target_id).toBe(targetId);
  });

  it('includes a delivery that ends without an attempt, and the one that is promoted behind it', async () => {
    const failing = await startReceiver((response) => void response.writeHead(422).end());
    const { id: targetId } = await switchboard.addTarget('ordered', failing.url, ['ordered.*'], {
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] } },
    });
    const first = await switchboard.emit('ordered.event');
    const dead = await switchboard.deliveryOnce(first, targetId, ({ state }) => state === 'dead');
    const second = await switchboard.emit('ordered.event');
    expect(await switchboard.ask(`/targets/${targetId}/pause`, { method: 'POST' })).toMatchObject({
      status: 200,
    });
    const listener = await listen();
    const json = { reason: 'not needed' };
    await switchboard.ask(`/deliveries/${dead.id}/discard`, { method: 'POST', json });
    const published = (event: string) =>
      listener
        .of<Delivery[]>('deliveries')
        .flat()
        .filter(({ event_id }) => event_id === event)
        .map(({ state }) => state);
    await until('both', () => published(first).length > 0 && published(second).length > 0);
    expect([published(first), published(second)]).toEqual([['cancelled'], ['pending']]);
  });

  it('is sent at most every 100 ms, however much happens', async () => {
    await switchboard.addTarget('busy', receiver.url, ['busy.*']);
    const from = await lastSeq();
    const listener = await listen({}, { last_seq: from });
    const startedAt = performance.now();
    const whileBusy = async (action: (i: number) => Promise<unknown>) => {
      for (let i = 0; performance.now() - startedAt < 1_500; i += 1) await action(i);
    };
    await Promise.all([
      whileBusy(() => Promise.all([switchboard.emit('busy.event'), switchboard.emit('busy.event')])),
      // Each changes the subscription: the signature is in another header.
      whileBusy((i) => switchboard.notify(switchboard.sign('busy.header'), { header: `x-name-${i % 2}` })),
    ]);
    const last = await lastSeq();
    await until('all of it', () => listener.seqs.includes(last));
    const spanMs = performance.now() - startedAt;
    // System events may follow.
    expect(listener.seqs.filter((seq) => seq <= last)).toHaveLength(last - from);
    for (const kind of ['events', 'deliveries', 'counters', 'connection']) {
      const count = listener.messages.filter((one) => one.kind === kind).length;
      expect(count).toBeGreaterThan(1);
      expect({ kind, count, within: count <= spanMs / 100 + 2 }).toEqual({ kind, count, within: true });
    }
  });
});

describe('what is published about replays', () => {
  it('is their progress, at most twice a second, and nothing while there is none', async () => {
    const { id: targetId } = await switchboard.addTarget('replayed', receiver.url, ['replayed.*']);
    const ids: string[] = [];
    for (let i = 0; i < 60; i += 1) ids.push(await switchboard.emit('replayed.event'));
    const listener = await listen();
    const json = { filter: { types: ['replayed.*'] }, target_ids: [targetId], rate: { per_second: 5 } };
    const created = await switchboard.read(replayDetail, '/replays', { method: 'POST', json });
    const startedAt = performance.now();
    const plans = () =>
      listener
        .of<{ replays: ReplaySummary[] }>('replays')
        .flatMap(({ replays }) => replays.filter(({ id }) => id === created.id));
    await until('some of it', () => plans().filter(({ events }) => events > 0).length > 2);
    await switchboard.ask(`/replays/${created.id}/pause`, { method: 'POST' });
    await until('the pause', () => plans().at(-1)!.state === 'paused');
    const spanMs = performance.now() - startedAt;
    const published = plans();
    expect(replaySummary.parse(published[0])).toEqual(published[0]);
    expect(published.length).toBeGreaterThan(2);
    expect(published.length).toBeLessThanOrEqual(spanMs / 500 + 2);
    expect(published.map(({ events }) => events)).toEqual(
      published.map(({ events }) => events).toSorted((a, b) => a - b),
    );
    expect(published.find(({ events, total }) => events > 0 && events < total)).toMatchObject({ total: 60 });

    // Counters are still sent meanwhile.
    const counters = listener.of('counters').length;
    await until('three seconds', () => listener.of('counters').length > counters + 3);
    expect(plans()).toEqual(published);
    await switchboard.ask(`/replays/${created.id}/cancel`, { method: 'POST' });
    await until('the end', () => plans().at(-1)!.state === 'cancelled');
    expect(plans().at(-1)!.ended_at).not.toBeNull();
  });
});

describe('a client that reconnects', () => {
  it('receives what it missed, once and in order, while more events arrive', async () => {
    for (let i = 0; i < 12; i += 1) await switchboard.emit('missed.event');
    const flowing = new AbortController();
    const flow = (async () => {
      while (!flowing.signal.aborted)
        await Promise.all(Array.from({ length: 4 }, () => switchboard.emit('flow.event')));
    })();
    const listeners: { after: number; listener: Listener }[] = [];
    for (let i = 0; i < 12; i += 1) {
      // Counted from now: more arrives with every client, and would soon exceed one message.
      const after = (await lastSeq()) - i;
      listeners.push({ after, listener: await listen({}, { last_seq: after }) });
    }
    flowing.abort();
    await flow;
    const last = await lastSeq();
    for (const { after, listener } of listeners) {
      await until('the last event', () => listener.seqs.includes(last));
      const expected = Array.from({ length: last - after }, (_, i) => after + 1 + i);
      expect(listener.seqs).toEqual(expected);
      expect(listener.of('gap')).toEqual([]);
    }
  });

  it('receives nothing that it has already seen', async () => {
    const listener = await listen({}, { last_seq: await lastSeq() });
    const id = await switchboard.emit('only.this');
    await until('the new one', () => listener.events.length > 0);
    expect(listener.events.map((event) => event.id)).toEqual([id]);
  });

  it('without a last seq receives only new events', async () => {
    const before = await lastSeq();
    const listener = await listen();
    await switchboard.emit('only.this');
    await until('the new one', () => listener.events.length > 0);
    expect(Math.min(...listener.seqs)).toBeGreaterThan(before);
  });

  it('and missed more than fits in a message receives the gap, and then what follows it', async () => {
    const after = await lastSeq();
    for (let i = 0; i < 12; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => switchboard.emit('missed.event')));
    const newest = await lastSeq();
    const listener = await listen({}, { last_seq: after });
    await until('the gap', () => listener.of('gap').length > 0);
    const [gap] = listener.of<LiveGap>('gap');
    expect(gap).toEqual({ after_seq: after, last_seq: newest, fetch: '/api/v1/events' });
    const id = await switchboard.emit('behind.it');
    await until('the next event', () => listener.events.length > 0);
    expect(listener.events.map((event) => event.id)).toEqual([id]);
  });

  it('receives new events if its last seq is not a number', async () => {
    const listener = await listen({}, { last_seq: 'all' });
    const id = await switchboard.emit('only.this');
    await until('the new one', () => listener.events.some((event) => event.id === id));
  });
});
