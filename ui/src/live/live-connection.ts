import { io, type Socket } from 'socket.io-client';
import type { LIVE_NAMESPACE, LiveHandshake, LiveMessages } from '../../../src/contract/live';
import { sessionSecret } from '../api/session-secret';

const NAMESPACE: typeof LIVE_NAMESPACE = '/live';
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 5_000;

/** `lost` only after it was tried: a page that has just opened is `connecting`. */
export type LiveState = 'connecting' | 'live' | 'lost';
type MessageKind = keyof LiveMessages;

/**
 * The page's one socket. It says what changed, and whether it may be believed: while it is not `live`, what the page
 * shows may be old. It heals by itself, and asks for the events after the last one it has seen.
 */
export class LiveConnection {
  /** Untyped in itself: what may be heard is typed once, by `on`. */
  private readonly socket: Socket;
  private readonly listeners = new Set<() => void>();
  private current: LiveState = 'connecting';
  private lastSeq: number | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;

  /** `refused` is called when the daemon may have turned the socket away, so that a lost login can be noticed. */
  constructor(onRefused: () => void) {
    this.socket = io(NAMESPACE, {
      autoConnect: false,
      transports: ['websocket'],
      reconnectionDelay: 500,
      reconnectionDelayMax: MAX_RETRY_MS,
      auth: (answer) => answer(this.handshake()),
    });
    this.socket.on('connect', () => this.setState('live'));
    this.socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') return;
      this.setState('lost');
      if (!this.socket.active) this.reconnectSoon(onRefused);
    });
    this.socket.on('connect_error', () => {
      this.setState('lost');
      // No browser tells why a handshake failed: the daemon may be away, or have turned it down.
      if (this.socket.active) onRefused();
      else this.reconnectSoon(onRefused);
    });
    this.on('events', (events) => {
      for (const { seq } of events) this.markSeen(seq);
    });
    this.on('gap', (gap) => this.markSeen(gap.last_seq));
  }

  get state(): LiveState {
    return this.current;
  }

  /** Tells the connection of events that the page has from elsewhere, so that they are not sent again. */
  markSeen(seq: number): void {
    this.lastSeq = Math.max(seq, this.lastSeq ?? seq);
  }

  /** Opens the socket, if it is not open already. */
  open(): void {
    this.socket.connect();
  }

  /** Closes the socket for good: the login has ended. */
  close(): void {
    clearTimeout(this.retry);
    this.socket.disconnect();
    this.lastSeq = undefined;
    this.setState('connecting');
  }

  /** Listens for one kind of message; answers with how to stop. */
  on<Kind extends MessageKind>(kind: Kind, listener: LiveMessages[Kind]): () => void {
    const name: string = kind;
    this.socket.on(name, listener);
    return () => this.socket.off(name, listener);
  }

  /** Listens for changes of the state; answers with how to stop. */
  readonly subscribe = (hear: () => void): (() => void) => {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  };

  private handshake(): LiveHandshake {
    const session = sessionSecret.read();
    return this.lastSeq === undefined ? { session } : { session, last_seq: this.lastSeq };
  }

  private setState(state: LiveState): void {
    if (this.current === state) return;
    this.current = state;
    for (const listener of this.listeners) listener();
  }

  /** Turned away or closed by the daemon, the socket does not retry by itself; we do, at an easy pace. */
  private reconnectSoon(onRefused: () => void): void {
    onRefused();
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.socket.connect(), RETRY_MS);
  }
}
