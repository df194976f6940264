import type { ListenDelivery, ListenResult } from '../../../contract/listen';
import type { LocalReceiver, Outcome } from './local-receiver';

/** How many results the hub may leave unconfirmed; older ones are forgotten, and their deliveries made again. */
const MAX_UNCONFIRMED = 1_000;

/** An attempt that was made, for those who watch. */
export interface Made {
  delivery: ListenDelivery;
  outcome: Outcome;
}

/**
 * Makes attempts, and remembers their results until the hub has stored them. If the connection is lost in between, the
 * hub asks for the same attempt again: it is not made again then, but answered with what is known.
 */
export class Attempts {
  private readonly running = new Set<string>();
  private readonly unconfirmed = new Map<string, ListenResult>();

  /**
   * @param report sends a result to the hub, if it is connected; what it is given is called when the hub confirms it
   * @param onMade called after each attempt
   */
  constructor(
    private readonly receiver: LocalReceiver,
    private readonly report: (result: ListenResult, confirmed: () => void) => void,
    private readonly onMade: (made: Made) => void,
    private readonly onConfirmed: (result: ListenResult) => void,
  ) {}

  /** How many are being made. */
  get count(): number {
    return this.running.size;
  }

  /** Whether everything that was made is stored at the hub. */
  get isSettled(): boolean {
    return this.running.size === 0 && this.unconfirmed.size === 0;
  }

  async make(delivery: ListenDelivery): Promise<void> {
    const key = keyOf(delivery);
    const known = this.unconfirmed.get(key);
    if (known !== undefined) return this.send(key, known);
    if (this.running.has(key)) return;
    this.running.add(key);
    const outcome = await this.receiver.forward(delivery);
    this.running.delete(key);
    this.onMade({ delivery, outcome });
    const { reason: _, ...fields } = outcome;
    const result = { delivery: delivery.delivery, attempt: delivery.attempt, ...fields };
    // If nothing was sent, it is made again; a test is not asked for again, and never confirmed.
    if (outcome.error !== 'not_connected' && delivery.headers['switchboard-trigger'] !== 'test')
      this.unconfirmed.set(key, result);
    if (this.unconfirmed.size > MAX_UNCONFIRMED)
      this.unconfirmed.delete(this.unconfirmed.keys().next().value!);
    this.send(key, result);
  }

  private send(key: string, result: ListenResult): void {
    this.report(result, () => {
      if (this.unconfirmed.delete(key)) this.onConfirmed(result);
    });
  }
}

/** The id of the event too: after a restore, the hub may assign ids of deliveries again. */
const keyOf = ({ delivery, attempt, headers }: ListenDelivery) =>
  `${delivery} ${attempt} ${headers['webhook-id']}`;
