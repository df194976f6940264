import { io, type Socket } from 'socket.io-client';
import type {
  ListenClientMessages,
  ListenHandshake,
  ListenResult,
  ListenServerMessages,
} from '../../../contract/listen';
import { proxyAgentFor } from './proxy-agent';

const TICK_MS = 1_000;
const BEAT_EVERY_TICKS = 4;
/** The hub sends a beat every four seconds. */
const SILENT_AFTER_MS = 10_000;
/** A timer this late means that the machine has slept, or this process: the hub has given up the connection. */
const SLEPT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Of one message: a malicious hub must not fill the memory. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** How a connection ended. `code` is set if the hub has refused or closed it, with its sentence. */
export interface ConnectionEnd {
  reason: string;
  code: string | null;
  /** Whether it was ready. */
  wasReady: boolean;
  /** The status, if something answered other than with a WebSocket. */
  status: number | null;
}

export type ListenSocket = Socket<ListenServerMessages, ListenClientMessages>;

export interface HubAddress {
  url: string;
  token: string;
  /** Certificates that its own is signed with. */
  ca?: string;
}

/** One connection to the hub, from the handshake until it is lost. */
export class Connection {
  /** Resolves when it has ended. */
  readonly ended: Promise<ConnectionEnd>;
  private readonly socket: ListenSocket;
  private readonly timer: NodeJS.Timeout;
  private wasReady = false;
  private finish: (end: Partial<ConnectionEnd> & { reason: string }) => void = () => undefined;

  constructor(
    { url, token, ca }: HubAddress,
    handshake: ListenHandshake,
    handlers: Partial<ListenServerMessages>,
  ) {
    const { origin, pathname } = new URL(url);
    const agent = proxyAgentFor(new URL(url), process.env);
    this.socket = io(`${origin}/listen`, {
      path: `${pathname.replace(/\/$/, '')}/socket.io/`,
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      timeout: CONNECT_TIMEOUT_MS,
      extraHeaders: { authorization: `Bearer ${token}` },
      auth: handshake,
      ...(ca !== undefined && { ca }),
      // The type names only that of requests without TLS.
      ...(agent !== undefined && ({ agent } as object)),
      ...({ maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false } as object),
    });
    this.ended = new Promise((resolve) => {
      this.finish = (end) => resolve({ code: null, status: null, ...end, wasReady: this.wasReady });
    });
    this.timer = this.watch();
    this.socket.on('ready', () => (this.wasReady = true));
    this.socket.on('bye', ({ code }) => this.close(code, code));
    this.socket.on('disconnect', (reason) => this.close(reason));
    this.socket.on('connect_error', (error: Error & { data?: { code: string }; description?: unknown }) => {
      const { message = '' } = (error.description ?? {}) as { message?: string };
      const [, status = null] = /server response: (\d{3})/.exec(message) ?? [];
      this.close(message || error.message, error.data?.code ?? null, status === null ? null : Number(status));
    });
    for (const [name, handler] of Object.entries(handlers))
      this.socket.on(name as 'beat', handler as () => void);
  }

  accept(accepting: boolean): void {
    if (this.wasReady) this.socket.emit('accepting', accepting);
  }

  /** @param confirmed called once the hub has stored it */
  report(result: ListenResult, confirmed: () => void): void {
    if (this.socket.connected) this.socket.emit('result', result, confirmed);
  }

  /** Tells the hub that this process ends. */
  leave(): void {
    this.socket.disconnect();
    this.close('left');
  }

  private close(reason: string, code: string | null = null, status: number | null = null): void {
    clearInterval(this.timer);
    this.finish({ reason, code, status });
    this.socket.io.engine?.close();
  }

  /** Closes a connection on which nothing arrives, not even a part of a large message. */
  private watch(): NodeJS.Timeout {
    let ticks = 0;
    let bytes = 0;
    let tickAt = performance.now();
    let heardAt = tickAt;
    return setInterval(() => {
      const now = performance.now();
      const received = bytesRead(this.socket);
      if (received !== bytes) heardAt = now;
      bytes = received;
      if (now - tickAt > TICK_MS + SLEPT_MS) return this.close('this machine or program slept');
      if (now - heardAt > SILENT_AFTER_MS) return this.close('the hub is silent');
      tickAt = now;
      ticks += 1;
      if (ticks % BEAT_EVERY_TICKS === 0 && this.socket.connected) this.socket.emit('beat');
    }, TICK_MS);
  }
}

/** Of the TCP connection of a socket, which its transport has below it. */
function bytesRead({ io: { engine } }: ListenSocket): number {
  const transport: unknown = (engine as Partial<typeof engine> | undefined)?.transport;
  const { ws } = (transport ?? {}) as { ws?: Record<'_socket', { bytesRead: number } | undefined> };
  return ws?.['_socket']?.bytesRead ?? 0;
}
