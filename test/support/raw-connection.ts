import { connect, type Socket } from 'node:net';
import { until } from './until';

/** A connection to the daemon over which anything may be sent, HTTP or not. Its own side stays open until it is closed. */
export class RawConnection {
  private received = '';
  private ended = false;
  private readonly socket: Socket;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    this.socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    this.socket.on('error', (error) => (this.received += `[${error.message}]`));
    this.socket.on('end', () => (this.ended = true));
    this.socket.on('close', () => (this.ended = true));
  }

  /** The head of a request, as far as its last header. */
  begin(method: string, path: string, headers: Record<string, string | number> = {}): this {
    const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    return this.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  write(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  /** What comes from now on is left to the kernel. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  /** What came so far. */
  get text(): string {
    return this.received;
  }

  /** Whether the daemon sends no more. */
  get isEnded(): boolean {
    return this.ended;
  }

  /** The statuses of the answers that came so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  async connected(): Promise<void> {
    await until('the connection', () => !this.socket.connecting);
  }

  async answered(count = 1): Promise<string> {
    await until(`${count} answers`, () => this.statuses.length >= count && /\r\n\r\n/.test(this.received));
    return this.received;
  }

  async end(): Promise<string> {
    await until('the daemon ends the connection', () => this.ended);
    return this.received;
  }

  close(): void {
    this.socket.destroy();
  }
}
