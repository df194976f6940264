import { connect, type Socket } from 'node:net';
import { until } from './until';

/** A TCP connection to the daemon that can send any bytes. It stays half-open when the daemon ends its side. */
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

  /** Sends the request line and the headers. */
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

  /** Leaves further data in the kernel's buffers. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  /** All data received so far. */
  get text(): string {
    return this.received;
  }

  /** Whether the daemon has ended its side. */
  get isEnded(): boolean {
    return this.ended;
  }

  /** The status codes received so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  async untilConnected(): Promise<void> {
    await until('the connection', () => !this.socket.connecting);
  }

  async untilResponses(count = 1): Promise<string> {
    await until(`${count} responses`, () => this.statuses.length >= count && /\r\n\r\n/.test(this.received));
    return this.received;
  }

  async untilEnded(): Promise<string> {
    await until('the daemon ends the connection', () => this.ended);
    return this.received;
  }

  close(): void {
    this.socket.destroy();
  }
}
