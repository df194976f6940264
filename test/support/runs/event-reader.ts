import { setTimeout as pause } from 'node:timers/promises';
import type { ConsumerEvents } from '../../../src/contract/consumer';
import type { FollowingEvents } from '../../../src/contract/event';
import type { Daemon } from '../daemon/daemon';

const RETRY_MS = 200;
/** A request to a frozen daemon is given up after this time. */
const TIMEOUT_MS = 10_000;

/** Reads events in order as a client does: it asks the daemons in turn, and again after each failure. */
export abstract class EventReader {
  /** In the order in which they were read. */
  readonly seqs: number[] = [];
  private isStopped = false;
  private running: Promise<void> | null = null;
  private turn = 0;

  constructor(private readonly daemons: readonly Daemon[]) {}

  protected abstract readNext(): Promise<void>;

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  protected async ask<Answer>(method: string, path: string, json?: object): Promise<Answer> {
    this.turn += 1;
    const daemon = this.daemons[this.turn % this.daemons.length]!;
    const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${daemon.url}/api/v1${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(json && { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.readNext();
      } catch {
        await pause(RETRY_MS);
      }
    }
  }
}

/** Keeps its position itself. */
export class Follower extends EventReader {
  private after = 'oldest';

  protected async readNext(): Promise<void> {
    const path = `/events?after=${this.after}&wait=2`;
    const { data, next_cursor: next } = await this.ask<FollowingEvents>('GET', path);
    this.seqs.push(...data.map(({ seq }) => seq));
    this.after = next;
  }
}

/** Lets the hub keep its position, in a consumer. */
export class ConsumerReader extends EventReader {
  /** Reads that began before what a commit had acknowledged. */
  readonly wentBack: number[] = [];
  private committed = 0;
  private lease: string | undefined;

  protected async readNext(): Promise<void> {
    await this.ask('POST', '/consumers', { name: 'run', types: ['*', 'relay.*'], start: 'oldest' });
    const wanted = { wait: 2, limit: 20, ...(this.lease ? { lease: this.lease } : { take_over: true }) };
    const { data, lease } = await this.ask<ConsumerEvents>('POST', '/consumers/run/read', wanted);
    this.lease = lease;
    const [first, last] = [data[0], data.at(-1)];
    if (first === undefined) return;
    if (first.seq <= this.committed) this.wentBack.push(first.seq);
    this.seqs.push(...data.map(({ seq }) => seq));
    await this.ask('POST', '/consumers/run/commit', { lease, position: last!.id });
    this.committed = last!.seq;
  }
}
