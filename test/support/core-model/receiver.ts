import type { AttemptOutcome } from '../../../src/relay/deliveries/sending/attempt-outcome';
import type { ConnectionSettings } from '../../../src/relay/deliveries/sending/connection-settings';

/** A request that has arrived and was not answered. */
export interface Flight {
  connections: number;
  delivery: string;
  attempt: number;
  sentAt: number;
  resolve: (outcome: AttemptOutcome | null) => void;
}

type Answer = Pick<AttemptOutcome, 'status' | 'error'>;

/**
 * All receivers, in place of the thread that sends: a request is under way until a test answers it. It knows the same
 * calls as `SendingThread`.
 */
export class Receiver {
  readonly faults = { report: () => undefined };
  readonly flights: Flight[] = [];
  /** The process has ended: it sends nothing more. */
  isCut = false;
  private lastNumber = 0;
  private readonly onIdle = new Map<number, () => void>();

  constructor(
    private readonly now: () => number,
    private readonly onRequest: (flight: Flight) => void,
    /** A request was aborted by the daemon. */
    private readonly onAbort: (flight: Flight) => void,
  ) {}

  open(_settings: ConnectionSettings): number {
    return (this.lastNumber += 1);
  }

  send(connections: number, headers: Record<string, string>): Promise<AttemptOutcome | null> {
    return new Promise((resolve) => {
      const delivery = headers['switchboard-delivery']!;
      const attempt = Number(headers['switchboard-attempt']);
      const flight = { connections, delivery, attempt, sentAt: this.now(), resolve };
      if (this.isCut) return;
      this.flights.push(flight);
      this.onRequest(flight);
    });
  }

  answer(flight: Flight, answer: Answer): void {
    this.flights.splice(this.flights.indexOf(flight), 1);
    const durationMs = this.now() - flight.sentAt;
    flight.resolve({ ...answer, durationMs, excerpt: null, retryAfter: null });
    if (!this.isBusy(flight.connections)) this.onIdle.get(flight.connections)?.();
  }

  /** Resolves once the requests under way have ended. */
  async close(connections: number): Promise<void> {
    if (this.isBusy(connections)) await new Promise<void>((resolve) => this.onIdle.set(connections, resolve));
  }

  abort(connections: number): void {
    for (const flight of this.flights.filter((one) => one.connections === connections)) {
      this.flights.splice(this.flights.indexOf(flight), 1);
      this.onAbort(flight);
      flight.resolve(null);
    }
    this.onIdle.get(connections)?.();
  }

  async end(): Promise<void> {}

  private isBusy(connections: number): boolean {
    return this.flights.some((flight) => flight.connections === connections);
  }
}
