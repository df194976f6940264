import { io, type Socket } from 'socket.io-client';
import { LIVE_NAMESPACE } from '@contract/constants';
import type { LiveHandshake, LiveMessages } from '@contract/live';
import { sessionSecret } from '../api/session-secret';

const RETRY_MS = 2_000;
const MAX_RETRY_MS = 5_000;
/** The daemon sends counters every second, so this much silence means that it stands still or the network is gone. */
const MAX_SILENCE_MS = 7_500;
const CHECK_SILENCE_MS = 1_000;

/** `lost` only after the socket failed or was silent; while a page opens its first one, the state is `connecting`. */
export type LiveState = 'connecting' | 'live' | 'lost';
type MessageKind = keyof LiveMessages;

/**
 * The only socket of the page. While it is not `live`, the page may be outdated. It reconnects automatically
 * and requests the events after the last one seen.
 */
export class LiveConnection {
  /** Untyped; `on` types the messages. */
  private readonly socket: Socket;
  private readonly listeners = new Set<() => void>();
  private current: LiveState = 'connecting';
  private changedAt = Date.now();
  private lastSeq: number | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private silenceCheck: ReturnType<typeof setInterval> | undefined;
  private heardAt = 0;
  private overdueChecks = 0;

  /** @param onRejected called when the daemon may have rejected the socket, to check whether the session expired */
  constructor(onRejected: () => void) {
    this.socket = io(LIVE_NAMESPACE, {
      autoConnect: false,
      transports: ['websocket'],
      reconnectionDelay: 500,
      reconnectionDelayMax: MAX_RETRY_MS,
      auth: (send) => send(this.handshake()),
    });
    this.socket.on('connect', () => this.hear());
    this.socket.onAny(() => this.hear());
    this.on('counters', () => this.setState('live'));
    this.socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') return;
      this.setState('lost');
      if (!this.socket.active) this.reconnectLater(onRejected);
    });
    this.socket.on('connect_error', () => {
      this.setState('lost');
      // Browsers do not report why a handshake failed: the daemon may be down or may have rejected it.
      if (this.socket.active) onRejected();
      else this.reconnectLater(onRejected);
    });
    this.on('events', (events) => {
      for (const { seq } of events) this.markSeen(seq);
    });
    this.on('gap', (gap) => this.markSeen(gap.last_seq));
  }

  get state(): LiveState {
    return this.current;
  }

  /** When the state changed last, in ms since 1970. */
  get since(): number {
    return this.changedAt;
  }

  /** Records an event read through the API, so that the socket does not send it again. */
  markSeen(seq: number): void {
    this.lastSeq = Math.max(seq, this.lastSeq ?? seq);
  }

  /** Opens the socket, if it is not open already. */
  open(): void {
    this.socket.connect();
    clearInterval(this.silenceCheck);
    this.silenceCheck = setInterval(() => this.checkSilence(), CHECK_SILENCE_MS);
  }

  /** Closes the socket at the end of the session. */
  close(): void {
    clearTimeout(this.retry);
    clearInterval(this.silenceCheck);
    this.socket.disconnect();
    this.lastSeq = undefined;
    this.setState('connecting');
  }

  /** Subscribes to one kind of message. @returns an unsubscribe function */
  on<Kind extends MessageKind>(kind: Kind, listener: LiveMessages[Kind]): () => void {
    const name: string = kind;
    this.socket.on(name, listener);
    return () => this.socket.off(name, listener);
  }

  /** Subscribes to changes of the state. @returns an unsubscribe function */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private handshake(): LiveHandshake {
    const session = sessionSecret.read();
    return this.lastSeq === undefined ? { session } : { session, last_seq: this.lastSeq };
  }

  private setState(state: LiveState): void {
    if (this.current === state) return;
    this.current = state;
    this.changedAt = Date.now();
    for (const listener of this.listeners) listener();
  }

  private hear(): void {
    this.heardAt = performance.now();
  }

  /** Closes a connection that is open but silent, long before the pings of Socket.IO do; it then opens another one. */
  private checkSilence(): void {
    const isOverdue = this.socket.connected && performance.now() - this.heardAt > MAX_SILENCE_MS;
    this.overdueChecks = isOverdue ? this.overdueChecks + 1 : 0;
    // At the first check after a stall of the page, its messages may still be waiting to be handled.
    if (this.overdueChecks > 1) this.socket.io.engine.close();
  }

  /** Socket.IO does not reconnect after a rejection or a close by the server. */
  private reconnectLater(onRejected: () => void): void {
    onRejected();
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.socket.connect(), RETRY_MS);
  }
}
