import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** One request as the target got it. */
export interface Received {
  /** `webhook-id`: the event's id. */
  id: string;
  /** SHA-256 of the bytes, in hex. */
  hash: string;
  /** `switchboard-attempt`, from 1. */
  attempt: number;
  /** `switchboard-trigger`: where the delivery comes from. */
  trigger: string;
  /** The status, once the answer is on its way to the last byte; null before. */
  answered: number | null;
}

/**
 * A target that bears witness: a server in the test's own process, so that it lives through every end of the daemon, and
 * what it recorded is independent of what the daemon believes. `received` is in the order of arrival and never shortened;
 * of the bodies it keeps the hash, so that a hundred thousand requests are no burden.
 */
export class WitnessTarget {
  readonly received: Received[] = [];
  /** How long an answer takes. */
  delayMs = 0;
  /** The status for a request; its entry is in `received` already. */
  decide: (received: Received) => number = () => 204;

  private held: (() => void)[] | null = null;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WitnessTarget> {
    const server = createServer();
    const target = new WitnessTarget(server);
    server.keepAliveTimeout = 60_000;
    server.on('request', (request, response) => target.take(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return target;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The target does not listen.');
    return `http://127.0.0.1:${address.port}/events`;
  }

  /** The requests whose 2xx went out. */
  get succeeded(): Received[] {
    return this.received.filter(({ answered }) => answered !== null && answered < 300);
  }

  /** From now on requests are taken and wait for their answer until `release`. */
  hold(): void {
    this.held ??= [];
  }

  get holding(): number {
    return this.held?.length ?? 0;
  }

  release(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const answer of held) answer();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      const { headers } = request;
      const received: Received = {
        id: String(headers['webhook-id']),
        hash: hash.digest('hex'),
        attempt: Number(headers['switchboard-attempt']),
        trigger: String(headers['switchboard-trigger']),
        answered: null,
      };
      this.received.push(received);
      const status = this.decide(received);
      const answer = () => {
        response.writeHead(status).end(() => (received.answered = status));
      };
      if (this.held !== null) this.held.push(answer);
      else if (this.delayMs > 0) setTimeout(answer, this.delayMs);
      else answer();
    });
  }
}
