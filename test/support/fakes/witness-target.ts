import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A request that the target received. */
export interface Received {
  /** `webhook-id`: the event's id. */
  id: string;
  /** SHA-256 of the bytes, in hex. */
  hash: string;
  /** `switchboard-attempt`, from 1. */
  attempt: number;
  /** `switchboard-trigger`: live, replay or manual. */
  trigger: string;
  /** The status once the whole response was sent; null before. */
  sentStatus: number | null;
}

/**
 * A target in the test's process, which survives kills of the daemon and records requests independently of it. `received`
 * is in order of arrival and never truncated; bodies are stored as hashes, so that it can hold 100,000 requests.
 */
export class WitnessTarget {
  readonly received: Received[] = [];
  /** The delay of a response, in ms. */
  delayMs = 0;
  /** The status for a request; its entry is in `received` already. */
  statusFor: (received: Received) => number = () => 204;

  private held: (() => void)[] | null = null;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WitnessTarget> {
    const server = createServer();
    const target = new WitnessTarget(server);
    server.keepAliveTimeout = 60_000;
    server.on('request', (request, response) => target.handle(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return target;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The target is not listening.');
    return `http://127.0.0.1:${address.port}/events`;
  }

  /** The requests whose 2xx was sent. */
  get succeeded(): Received[] {
    return this.received.filter(({ sentStatus: answered }) => answered !== null && answered < 300);
  }

  /** Delays all further responses until `release`. */
  holdResponses(): void {
    this.held ??= [];
  }

  get heldCount(): number {
    return this.held?.length ?? 0;
  }

  releaseResponses(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const answer of held) answer();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      const { headers } = request;
      const received: Received = {
        id: String(headers['webhook-id']),
        hash: hash.digest('hex'),
        attempt: Number(headers['switchboard-attempt']),
        trigger: String(headers['switchboard-trigger']),
        sentStatus: null,
      };
      this.received.push(received);
      const status = this.statusFor(received);
      const answer = () => {
        response.writeHead(status).end(() => (received.sentStatus = status));
      };
      if (this.held !== null) this.held.push(answer);
      else if (this.delayMs > 0) setTimeout(answer, this.delayMs);
      else answer();
    });
  }
}
