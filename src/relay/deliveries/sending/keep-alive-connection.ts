import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { Client, type buildConnector, type Dispatcher } from 'undici';

/**
 * What was decided when a connection was opened, such as to which address of the name, holds for at most this long,
 * in ms. Spread, so that not all connections of a target are opened again at once.
 */
const MAX_AGE_MS = { from: 30_000, to: 60_000 };

/**
 * `100` of an interim response that was not asked for: undici rejects it, but accepts any other 1xx (RFC 9110, 15.2).
 */
const CONTINUE = /(?<=^|\r\n\r\n)HTTP\/1\.[01] 100/g;
const LAST_DIGIT = 'HTTP/1.1 10'.length;

/** A connection for one request at a time, which is opened again for the next request when it was closed. */
export class KeepAliveConnection extends Client {
  /** What arrived last, while a response has not begun or its header is incomplete. */
  received: Buffer | null = null;
  private socket: Socket | null = null;
  private isHeaderAwaited = false;
  private wasUsed = false;
  private reopenAt = Infinity;

  constructor(
    origin: string,
    { connect, maxHeaderSize }: { connect: buildConnector.connector; maxHeaderSize: number },
  ) {
    super(origin, {
      maxHeaderSize,
      // `HttpExchange` has its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (to, callback) =>
        connect(to, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          this.onOpened(socket);
          callback(null, socket);
        }),
    });
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    // It is closed after the response to this request.
    if (performance.now() > this.reopenAt) request.reset = true;
    return super.dispatch(request, handler);
  }

  /** Called when a request is sent on it. @returns whether another one was sent on it before */
  use(): boolean {
    const { wasUsed } = this;
    this.wasUsed = true;
    this.isHeaderAwaited = true;
    this.received = null;
    return wasUsed;
  }

  /** Called when the header of the response is complete. */
  onHeader(): void {
    this.isHeaderAwaited = false;
  }

  /** Called when the response is complete. A target that answered early need not read the rest of the request. */
  onEnd(): void {
    if (this.socket !== null && this.socket.writableLength > 0) this.socket.destroy();
  }

  private onOpened(socket: Socket): void {
    this.socket = socket;
    this.wasUsed = false;
    this.reopenAt = performance.now() + randomInt(MAX_AGE_MS.from, MAX_AGE_MS.to);
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      const chunk = read(size) as Buffer | null;
      if (chunk === null || !this.isHeaderAwaited) return chunk;
      this.received = chunk;
      // As 102, which says no more than that a response follows.
      for (const { index } of chunk.toString('latin1').matchAll(CONTINUE))
        chunk.write('2', index + LAST_DIGIT);
      return chunk;
    };
  }
}
