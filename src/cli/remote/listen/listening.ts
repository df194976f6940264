import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ListenDelivery, ListenResult } from '../../../contract/listen';
import { CommandFailed } from '../../command-failed';
import { EXIT } from '../../exit-codes';
import { oneLine } from '../../printable';
import { note } from '../output';
import { Attempts, type Made } from './attempts';
import { Connection, type ConnectionEnd, type HubAddress } from './connection';
import type { LocalReceiver } from './local-receiver';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 5_000;
const PROBE_EVERY_MS = 1_000;
const POLL_MS = 20;
/** How long the end waits for attempts in flight: 10 s. */
const MAKE_POLLS = 500;
/** How long it waits for the hub to store their results: 2 s. */
const CONFIRM_POLLS = 100;
/** A hub that sends more than this times what was agreed does not keep to the protocol. */
const MAX_EXCESS = 4;

/** Ends of a connection after which another one would end the same way: exit code, and a sentence if the hub has none. */
const FINAL: Readonly<Record<string, [exitCode: number, sentence?: string]>> = {
  listener_connected: [EXIT.failed],
  target_kind_mismatch: [EXIT.failed],
  handshake_invalid: [EXIT.failed],
  taken_over: [EXIT.failed, 'Another process has taken over (--take-over).'],
  target_removed: [EXIT.failed, 'The target was removed.'],
  unauthorized: [EXIT.noAccess],
  scope_missing: [EXIT.noAccess],
  token_revoked: [EXIT.noAccess, 'The token was revoked.'],
  token_expired: [EXIT.noAccess, 'The token has expired.'],
};

export interface ListeningOptions {
  version: string;
  target: { id: string; name: string };
  concurrency: number;
  takeOver: boolean;
  /** The hub's address now; waits until it answers. @throws CommandFailed if it does not accept the token */
  locate: (signal: AbortSignal) => Promise<HubAddress>;
  /** Called with each attempt. */
  onMade: (made: Made) => void;
  /** Called when the hub has stored the outcome of an attempt. */
  onConfirmed: (result: ListenResult) => void;
}

/** Stays connected for a target, and forwards its deliveries to a receiver, until it is ended. */
export class Listening {
  private readonly clientId = randomBytes(16).toString('hex');
  private readonly attempts: Attempts;
  private connection: Connection | null = null;
  private isReachable = true;
  private readonly ending = new AbortController();
  private hasConnected = false;
  private catchingUp: { left: number; count: number; startedAt: number } | null = null;

  constructor(
    private readonly receiver: LocalReceiver,
    private readonly options: ListeningOptions,
  ) {
    this.attempts = new Attempts(
      receiver,
      (result, confirmed) => this.connection?.report(result, confirmed),
      (made) => this.noteMade(made),
      (result) => this.noteConfirmed(result),
    );
  }

  /** Stays connected until `end`. @throws CommandFailed if the hub ends it */
  async run(): Promise<void> {
    const { signal } = this.ending;
    let delayMs = FIRST_DELAY_MS;
    let hasTold = false;
    try {
      for (;;) {
        const end = await this.connect();
        if (signal.aborted) return;
        assertMayReturn(end);
        if (end.wasReady || !hasTold) note(describeEnd(end));
        hasTold = !end.wasReady;
        if (end.wasReady) delayMs = FIRST_DELAY_MS;
        await pause(delayMs * (0.5 + Math.random()), undefined, { signal });
        delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Takes no more work, and ends once the hub has what was made. */
  async end(): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.ending.abort();
    this.connection?.accept(false);
    const isOver = (isDone: boolean) => isDone || this.connection === null;
    for (let left = MAKE_POLLS; left > 0 && !isOver(this.attempts.count === 0); left -= 1)
      await pause(POLL_MS);
    // What an earlier connection has lost may never be confirmed.
    for (let left = CONFIRM_POLLS; left > 0 && !isOver(this.attempts.isSettled); left -= 1)
      await pause(POLL_MS);
    this.connection?.leave();
  }

  private async connect(): Promise<ConnectionEnd> {
    const { version, target, concurrency, takeOver, locate } = this.options;
    const address = await locate(this.ending.signal);
    const handshake = {
      target: target.id,
      client_id: this.clientId,
      version,
      forward_to: this.receiver.url.href,
      capacity: concurrency,
      // Only once: who has lost the target to another process must not take it back.
      take_over: takeOver && !this.hasConnected,
    };
    const connection = new Connection(address, handshake, {
      ready: (state) => this.noteReady(connection, state),
      deliver: (delivery) => this.deliver(connection, delivery),
    });
    this.connection = connection;
    const end = await connection.ended;
    this.connection = null;
    return end;
  }

  private deliver(connection: Connection, delivery: ListenDelivery): void {
    if (this.attempts.count >= MAX_EXCESS * this.options.concurrency) connection.leave();
    else void this.attempts.make(delivery);
  }

  private noteReady(
    connection: Connection,
    state: { queued: number; paused: boolean; disabled: boolean },
  ): void {
    this.hasConnected = true;
    const { name } = this.options.target;
    const { queued, paused, disabled } = state;
    const remark = disabled ? '; the target is disabled' : paused ? '; the target is paused' : '';
    note(`Connected: "${name}" is forwarded to ${this.receiver.url.href}; ${queued} queued${remark}.`);
    this.catchingUp = queued > 0 ? { left: queued, count: queued, startedAt: performance.now() } : null;
    connection.accept(this.isReachable);
  }

  private noteMade(made: Made): void {
    const { error, reason = '' } = made.outcome;
    if (error === 'not_connected') void this.waitForReceiver(reason);
    else this.options.onMade(made);
  }

  /** Until the receiver accepts connections, the hub keeps the deliveries. */
  private async waitForReceiver(reason: string): Promise<void> {
    if (!this.isReachable) return;
    this.setReachable(false);
    note(`Waiting for ${this.receiver.url.href}: ${oneLine(reason)}.`);
    do await pause(PROBE_EVERY_MS);
    while (!this.ending.signal.aborted && (await this.receiver.probe()) !== null);
    if (this.ending.signal.aborted) return;
    note(`${this.receiver.url.href} accepts connections again.`);
    this.setReachable(true);
  }

  private setReachable(isReachable: boolean): void {
    this.isReachable = isReachable;
    this.connection?.accept(isReachable);
  }

  private noteConfirmed(result: ListenResult): void {
    this.options.onConfirmed(result);
    if (this.catchingUp === null) return;
    this.catchingUp.left -= 1;
    if (this.catchingUp.left > 0) return;
    const { count, startedAt } = this.catchingUp;
    this.catchingUp = null;
    note(`Caught up with ${count} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
  }
}

/** @throws CommandFailed if another connection would end the same way */
function assertMayReturn({ code, reason }: ConnectionEnd): void {
  if (reason === 'Invalid namespace')
    throw new CommandFailed(
      EXIT.unsupported,
      'The hub has no listeners.',
      'Upgrade it, or read events with "switchboard tail".',
      'hub_unsupported',
    );
  const [exitCode, sentence = oneLine(reason)] = FINAL[code ?? ''] ?? [];
  if (exitCode === undefined) return;
  const remedy = code === 'listener_connected' ? 'End that process, or take over with --take-over.' : '';
  throw new CommandFailed(exitCode, sentence, remedy, code!);
}

const describeEnd = ({ status, reason, wasReady }: ConnectionEnd): string =>
  status === null
    ? `${wasReady ? 'Connection lost' : 'Not connected'}: ${oneLine(reason)}. Connecting again until it works.`
    : `The hub, or a proxy before it, answers the upgrade to a WebSocket with HTTP ${status}. Connecting again until it works; "switchboard tail" and consumers need no WebSocket.`;
