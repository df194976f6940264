import { Switchboard } from '../../support/daemon/switchboard';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { type Socket, io } from 'socket.io-client';
import type { LiveMessages } from '../../../src/contract/live';
import type { DefaultEventsMap } from 'socket.io';
import { type EventSummary } from '../../../src/contract/event';
import { until } from '../../support/until';

export let switchboard: Switchboard;
export let receiver: RecordingTarget;
export const startReceiver = useReceivers();
export let cookie: string;
export let session: string;
const opened: Listener[] = [];

export interface Login {
  cookie: string;
  session: string;
}

export async function logIn(): Promise<Login> {
  const json = JSON.stringify({ token: switchboard.adminToken });
  const headers: [string, string][] = [['content-type', 'application/json']];
  const response = await switchboard.wire.send('/api/v1/session', { method: 'POST', headers, body: json });
  return {
    cookie: response.headers['set-cookie']![0]!.split(';')[0]!,
    session: (response.json as { secret: string }).secret,
  };
}

/** A dashboard's socket: every message it received, and when. */
export class Listener {
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
export async function listen(headers: Record<string, string> = {}, auth: object = {}): Promise<Listener> {
  const listener = new Listener(
    { authorization: `Bearer ${switchboard.adminToken}`, ...headers },
    { ...auth },
  );
  await until('the first counters', () => listener.of('counters').length > 0);
  return listener;
}

/** Starts a daemon, and closes what a test has opened there. */
export function useDashboards(): void {
  beforeAll(async () => {
    receiver = await startReceiver();
    switchboard = await Switchboard.start();
    ({ cookie, session } = await logIn());
  });

  afterEach(() => {
    for (const listener of opened.splice(0)) listener.close();
  });

  afterAll(() => switchboard.end());
}
