import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type {
  ListenClientMessages,
  ListenDelivery,
  ListenHandshake,
  ListenResult,
  ListenServerMessages,
} from '../../../src/contract/listen';
import { until } from '../until';

/** The process of a listener, which answers only as a test says. */
export class ListenerProcess {
  readonly deliveries: ListenDelivery[] = [];
  readonly confirmed: string[] = [];
  ready: Parameters<ListenServerMessages['ready']>[0] | null = null;
  bye: string | null = null;
  rejection: string | null = null;
  readonly socket: Socket<ListenServerMessages, ListenClientMessages>;
  /** Answers each delivery; null: not at all. */
  answer: ((delivery: ListenDelivery) => Partial<ListenResult>) | null = () => ({ status: 200 });

  constructor(origin: string, token: string, handshake: Partial<ListenHandshake>) {
    this.socket = io(`${origin}/listen`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: { authorization: `Bearer ${token}` },
      auth: {
        client_id: 'a process of the test',
        version: '0.0.0',
        forward_to: 'http://localhost:3000/',
        capacity: 4,
        take_over: false,
        ...handshake,
      },
    });
    this.socket.on('connect_error', (error) => {
      this.rejection = (error as Error & { data?: { code: string } }).data?.code ?? error.message;
    });
    this.socket.on('ready', (state) => (this.ready = state));
    this.socket.on('bye', ({ code }) => (this.bye = code));
    this.socket.on('deliver', (delivery) => {
      this.deliveries.push(delivery);
      if (this.answer !== null) this.report(delivery, this.answer(delivery));
    });
  }

  /** Connects, and takes work. */
  static async start(
    origin: string,
    token: string,
    handshake: Partial<ListenHandshake>,
  ): Promise<ListenerProcess> {
    const process = new ListenerProcess(origin, token, handshake);
    await until('the listener is ready', () => process.ready !== null || process.rejection !== null);
    process.socket.emit('accepting', true);
    return process;
  }

  report({ delivery, attempt }: ListenDelivery, result: Partial<ListenResult>): void {
    this.socket.emit('result', { delivery, attempt, duration_ms: 1, ...result }, () =>
      this.confirmed.push(delivery),
    );
  }

  close(): void {
    this.socket.disconnect();
  }

  /** Loses the connection without a word. */
  lose(): void {
    this.socket.io.engine.close();
  }
}
