import type { Duplex } from 'node:stream';
import type { DefaultEventsMap } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { connection } from '../../../src/contract/connection';
import { delivery, type Delivery } from '../../../src/contract/delivery';
import { eventSummary, type EventSummary } from '../../../src/contract/event';
import type { LiveGap, LiveMessages } from '../../../src/contract/live';
import { replayDetail, replayPlan, type ReplayPlan } from '../../../src/contract/replay';
import { stats, type Stats } from '../../../src/contract/stats';
import { subscription } from '../../../src/contract/subscription';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { shakeHands } from '../../support/handshake';
import { until } from '../../support/until';
import { makeToken } from '../access/token-fixture';

let board: Switchboard;
let place: RecordingTarget;
let cookie: string;
let session: string;
const opened: Listener[] = [];

beforeAll(async () => {
  place = await RecordingTarget.start();
  board = await Switchboard.start();
  ({ cookie, session } = await logIn());
});

afterEach(() => {
  for (const listener of opened.splice(0)) listener.close();
});

afterAll(async () => {
  await board.end();
  await place.close();
});

interface Login {
  cookie: string;
  session: string;
}

async function logIn(): Promise<Login> {
  const json = JSON.stringify({ token: board.adminToken });
  const headers: [string, string][] = [['content-type', 'application/json']];
  const answer = await board.wire.send('/api/v1/session', { method: 'POST', headers, body: json });
  return {
    cookie: answer.headers['set-cookie']![0]!.split(';')[0]!,
    session: (answer.json as { secret: string }).secret,
  };
}

/** A dashboard: everything that it was told, and when. */
class Listener {
  readonly told: { kind: string; at: number; content: unknown }[] = [];
  refusal: { message: string; data?: { code: string } } | null = null;
  private readonly socket: Socket<LiveMessages, DefaultEventsMap>;

  constructor(headers: Record<string, string>, auth: Record<string, unknown> = {}, namespace = '/live') {
    this.socket = io(`${board.origin}${namespace}`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: headers,
      auth,
    });
    this.socket.onAny((kind: string, content: unknown) =>
      this.told.push({ kind, at: performance.now(), content }),
    );
    this.socket.on('connect_error', (error) => (this.refusal = error));
    opened.push(this);
  }

  get isConnected(): boolean {
    return this.socket.connected;
  }

  say(what: string): void {
    this.socket.emit(what as never);
  }

  of<Content>(kind: string): Content[] {
    return this.told.filter((one) => one.kind === kind).map(({ content }) => content as Content);
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

/** Connected and told how things stand. */
async function listen(headers: Record<string, string> = {}, auth: object = {}): Promise<Listener> {
  const listener = new Listener({ authorization: `Bearer ${board.adminToken}`, ...headers }, { ...auth });
  await until('the first counters', () => listener.of('counters').length > 0);
  return listener;
}

/** Waits for these bytes. */
async function comes(socket: Duplex, bytes: readonly number[]): Promise<void> {
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  await until('they come', () => Buffer.concat(received).includes(Buffer.from(bytes)));
}

const lastSeq = async () => (await board.read(stats, '/stats')).last_seq;

describe('the socket', () => {
  it.each([
    ['without a login', () => ({}), 401, 'unauthorized'],
    ['with a wrong token', () => ({ authorization: 'Bearer wrong' }), 401, 'unauthorized'],
    [
      'with a made-up session',
      () => ({ cookie: `${cookie.split('=')[0]!}=${'A'.repeat(43)}`, origin: board.origin }),
      401,
      'unauthorized',
    ],
    [
      'with a session from a foreign page',
      () => ({ cookie, origin: 'https://elsewhere.example' }),
      403,
      'origin_refused',
    ],
    ['with a session and no Origin', () => ({ cookie }), 403, 'origin_refused'],
    [
      'with a session under a foreign name',
      () => ({ cookie, origin: board.origin, host: 'elsewhere.example' }),
      403,
      'host_refused',
    ],
  ])('is refused %s, before anything is upgraded', async (_, headers, status, code) => {
    expect(await shakeHands(board.port, headers())).toMatchObject({ status, code, socket: null });
    const listener = new Listener(headers(), { session });
    await until('the refusal', () => listener.refusal !== null);
    await board.emit('refused.socket');
    expect(listener.told).toEqual([]);
  });

  it.each([{}, { session: '' }, { session: 'x'.repeat(43) }, { session: [] }])(
    'is refused to the cookie alone, which every port of the host is sent: %j',
    async (auth) => {
      const listener = new Listener({ cookie, origin: board.origin }, auth);
      await until('the refusal', () => listener.refusal !== null);
      expect(listener.refusal!.data).toEqual({ code: 'unauthorized' });
    },
  );

  it('has nothing to tell outside its namespace', async () => {
    const headers = { authorization: `Bearer ${board.adminToken}` };
    const listener = new Listener(headers, {}, '/');
    await until('the refusal', () => listener.refusal !== null);
    expect(listener.isConnected).toBe(false);
    expect(listener.refusal!.message).toBe('There is nothing in this namespace.');
  });

  it('over which packets come without an end is closed, and the others are not', async () => {
    const [flooding, other] = [await listen(), await listen()];
    for (let i = 0; i < 40; i += 1) other.say('anything');
    for (let i = 0; i < 400; i += 1) flooding.say('anything');
    await until('it is closed', () => !flooding.isConnected);
    await board.emit('after.flood');
    await until('the other is told', () => other.of('events').length > 0);
    expect(other.isConnected).toBe(true);
  });

  it('that has joined nothing within five seconds, or sends much at once, is closed', async () => {
    const bearer = { authorization: `Bearer ${board.adminToken}` };
    const [silent, talkative] = [await shakeHands(board.port, bearer), await shakeHands(board.port, bearer)];
    // A masked frame of a text of 5,000 characters, of which the first is on its way.
    talkative.socket!.write(Buffer.from([0x81, 0xfe, 5_000 >> 8, 5_000 & 255, 0, 0, 0, 0, 0x34]));
    // Frames that close (RFC 6455, 5.5.1), the second because of a message too big (7.4.1).
    await Promise.all([
      comes(silent.socket!, [0x88]),
      comes(talkative.socket!, [0x88, 2, 1009 >> 8, 1009 & 255]),
    ]);
    for (const { socket } of [silent, talkative]) socket!.destroy();
  });

  it('is one of 32 at most of one login, and room is made when one is closed', async () => {
    const { secret } = await makeToken(board, ['listen']);
    const open = () => shakeHands(board.port, { authorization: `Bearer ${secret}` });
    const handshakes = await Promise.all(Array.from({ length: 32 }, open));
    expect(handshakes.map(({ status }) => status)).toEqual(handshakes.map(() => 101));
    expect(await open()).toMatchObject({ status: 429, code: 'too_many_sockets', retryAfter: '30' });
    expect((await shakeHands(board.port, { authorization: `Bearer ${board.adminToken}` })).status).toBe(101);
    handshakes[0]!.socket!.destroy();
    await until('there is room', async () => {
      const one = await open();
      if (one.socket !== null) handshakes.push(one);
      return one.status === 101;
    });
    for (const { socket } of handshakes) socket!.destroy();
  });

  it('is open to a session on our own page, and closed when that is revoked', async () => {
    const [mine, other] = [await logIn(), await logIn()];
    const open = (login: Login) =>
      new Listener({ cookie: login.cookie, origin: board.origin }, { session: login.session });
    const [listener, untouched] = [open(mine), open(other)];
    await until('both', () => listener.isConnected && untouched.isConnected);
    const headers: [string, string][] = [
      ['cookie', mine.cookie],
      ['origin', board.origin],
      ['x-switchboard-request', mine.session],
    ];
    expect((await board.wire.send('/api/v1/session', { method: 'DELETE', headers })).status).toBe(204);
    await until('the end', () => !listener.isConnected);
    expect(untouched.isConnected).toBe(true);
    const again = open(mine);
    await until('the refusal', () => again.refusal !== null);
  });
});

describe('what is told', () => {
  it('is how things stand, then each event and each change of a delivery, in the form of the contract', async () => {
    const { id: targetId } = await board.addTarget('live', place.url, ['live.*']);
    const listener = await listen();
    const [standing] = listener.of<{ connection: unknown; subscription: unknown }>('connection');
    expect(connection.parse(standing!.connection)).toEqual(standing!.connection);
    expect(subscription.parse(standing!.subscription)).toEqual(standing!.subscription);
    const [counters] = listener.of<Stats>('counters');
    expect(stats.parse(counters)).toEqual(counters);

    const id = await board.emit('live.event', { id: 1, name: 'Told' });
    await until('the event', () => listener.events.some((event) => event.id === id));
    const summary = listener.events.find((event) => event.id === id)!;
    expect(eventSummary.parse(summary)).toEqual(summary);
    expect(summary).toMatchObject({ type: 'live.event', entity: 'live:1', name: 'Told', status: 'pending' });
    const deliveries = () => listener.of<Delivery[]>('deliveries').flat();
    await until('the delivery', () =>
      deliveries().some(({ event_id, state }) => event_id === id && state === 'succeeded'),
    );
    const told = deliveries().find(({ event_id }) => event_id === id)!;
    expect(delivery.parse(told)).toEqual(told);
    expect(told.target_id).toBe(targetId);
  });

  it('comes at most once in a tenth of a second, however much happens', async () => {
    await board.addTarget('busy', place.url, ['busy.*']);
    const from = await lastSeq();
    const listener = await listen({}, { last_seq: from });
    const began = performance.now();
    const whileBusy = async (act: (i: number) => Promise<unknown>) => {
      for (let i = 0; performance.now() - began < 1_500; i += 1) await act(i);
    };
    await Promise.all([
      whileBusy(() => Promise.all([board.emit('busy.event'), board.emit('busy.event')])),
      // Each is a change of the subscription: the signature under another name.
      whileBusy((i) => board.notify(board.sign('busy.header'), { header: `x-name-${i % 2}` })),
    ]);
    const last = await lastSeq();
    await until('all of it', () => listener.seqs.includes(last));
    const spanMs = performance.now() - began;
    // What Switchboard tells of itself may follow.
    expect(listener.seqs.filter((seq) => seq <= last)).toHaveLength(last - from);
    for (const kind of ['events', 'deliveries', 'counters', 'connection']) {
      const count = listener.told.filter((one) => one.kind === kind).length;
      expect(count).toBeGreaterThan(1);
      expect({ kind, count, within: count <= spanMs / 100 + 2 }).toEqual({ kind, count, within: true });
    }
  });
});

describe('what is told of replays', () => {
  it('is how far one has come, twice a second at most, and nothing while none comes further', async () => {
    const { id: targetId } = await board.addTarget('replayed', place.url, ['replayed.*']);
    const ids: string[] = [];
    for (let i = 0; i < 60; i += 1) ids.push(await board.emit('replayed.event'));
    const listener = await listen();
    const json = { filter: { types: ['replayed.*'] }, target_ids: [targetId], rate: { per_second: 20 } };
    const made = await board.read(replayDetail, '/replays', { method: 'POST', json });
    const began = performance.now();
    const plans = () =>
      listener
        .of<{ replays: ReplayPlan[] }>('replays')
        .flatMap(({ replays }) => replays.filter(({ id }) => id === made.id));
    await until('some of it', () => plans().some(({ events }) => events > 25));
    await board.ask(`/replays/${made.id}/pause`, { method: 'POST' });
    await until('the pause', () => plans().at(-1)!.state === 'paused');
    const spanMs = performance.now() - began;
    const told = plans();
    expect(replayPlan.parse(told[0])).toEqual(told[0]);
    expect(told.length).toBeGreaterThan(2);
    expect(told.length).toBeLessThanOrEqual(spanMs / 500 + 2);
    expect(told.map(({ events }) => events)).toEqual(
      told.map(({ events }) => events).toSorted((a, b) => a - b),
    );
    expect(told.find(({ events, total }) => events > 0 && events < total)).toMatchObject({ total: 60 });

    // Counters go on meanwhile.
    const counters = listener.of('counters').length;
    await until('three seconds', () => listener.of('counters').length > counters + 3);
    expect(plans()).toEqual(told);
    await board.ask(`/replays/${made.id}/cancel`, { method: 'POST' });
    await until('the end', () => plans().at(-1)!.state === 'cancelled');
    expect(plans().at(-1)!.ended_at).not.toBeNull();
  });
});

describe('a client that comes back', () => {
  it('is told what it missed, each once and in order, while more comes in', async () => {
    for (let i = 0; i < 12; i += 1) await board.emit('missed.event');
    const flowing = new AbortController();
    const flow = (async () => {
      while (!flowing.signal.aborted)
        await Promise.all(Array.from({ length: 4 }, () => board.emit('flow.event')));
    })();
    const listeners: { after: number; listener: Listener }[] = [];
    for (let i = 0; i < 12; i += 1) {
      // Counted from now: with every client more has come in, and soon it would be more than a message holds.
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

  it('is told nothing that it has seen', async () => {
    const listener = await listen({}, { last_seq: await lastSeq() });
    const id = await board.emit('only.this');
    await until('the new one', () => listener.events.length > 0);
    expect(listener.events.map((event) => event.id)).toEqual([id]);
  });

  it('without a last one is told only what comes', async () => {
    const before = await lastSeq();
    const listener = await listen();
    await board.emit('only.this');
    await until('the new one', () => listener.events.length > 0);
    expect(Math.min(...listener.seqs)).toBeGreaterThan(before);
  });

  it('and missed more than a message holds is told the gap, to its end, and goes on behind it', async () => {
    const after = await lastSeq();
    for (let i = 0; i < 12; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => board.emit('missed.event')));
    const newest = await lastSeq();
    const listener = await listen({}, { last_seq: after });
    await until('the gap', () => listener.of('gap').length > 0);
    const [gap] = listener.of<LiveGap>('gap');
    expect(gap).toEqual({ after_seq: after, last_seq: newest, fetch: '/api/v1/events' });
    const id = await board.emit('behind.it');
    await until('the next event', () => listener.events.length > 0);
    expect(listener.events.map((event) => event.id)).toEqual([id]);
  });

  it('is told what comes where what it names is no number', async () => {
    const listener = await listen({}, { last_seq: 'all' });
    const id = await board.emit('only.this');
    await until('the new one', () => listener.events.some((event) => event.id === id));
  });
});
