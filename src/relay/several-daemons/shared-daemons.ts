import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Daemons,
  type DaemonRecord,
  type LeaderMessage,
  type Leading,
  type Ownership,
  type SharedTable,
} from '../ground/daemons';
import { NonOverlapping } from '../ground/non-overlapping';
import { Signal } from '../ground/signal';
import type { Endpoint } from '../network/endpoint';
import { orNotReadable } from '../database/postgres/postgres-errors';
import type { Membership } from './membership';
import type { Notice } from '../database/postgres/notices';
import type { OwnedTargets } from './ownership/owned-targets';

const TELL_EVERY_MS = 1_000;
/** A notice of a change may be lost. */
const LOOK_EVERY_MS = 5_000;

const TABLES: readonly SharedTable[] = ['targets', 'subscriptions'];

interface SharedDaemonsOptions {
  membership: Membership;
  /** In which this application leads; null if it only receives. */
  epoch: number | null;
  owned: OwnedTargets;
  forward: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** The daemons of a database in PostgreSQL, for one application of this daemon. */
export class SharedDaemons extends Daemons {
  readonly isShared = true;
  private readonly told = new Signal<[LeaderMessage]>();
  private readonly changed = new Signal<[string]>();
  private readonly storedElsewhere = new Signal<[readonly number[]]>();
  /** By subject. */
  private readonly untold = new Map<string | symbol, LeaderMessage | (() => LeaderMessage)>();
  private readonly timers: NodeJS.Timeout[] = [];
  /** What fails is done after the next renewal of the lease. */
  private readonly taking = new NonOverlapping(
    async () => {
      for (const message of await this.options.membership.records.takeMessages()) this.told.emit(message);
    },
    () => undefined,
  );

  constructor(private readonly options: SharedDaemonsOptions) {
    super();
    this.timers.push(setInterval(() => this.lookAtAll(), LOOK_EVERY_MS));
    if (!this.leads) this.timers.push(setInterval(() => void this.tell(), TELL_EVERY_MS));
  }

  get leads(): boolean {
    return this.options.epoch !== null;
  }

  get id(): string {
    return this.options.membership.member.id;
  }

  get leading(): Leading | null {
    const { epoch, membership } = this.options;
    return epoch !== null && membership.epoch === epoch ? membership.leading : null;
  }

  get endpoints(): readonly Endpoint[] {
    return this.options.membership.endpoints;
  }

  holdsLease(): boolean {
    const { epoch, membership } = this.options;
    return epoch !== null && membership.holdsLease(epoch);
  }

  ownershipOf(target: number): Ownership {
    return this.options.owned.ownershipOf(target);
  }

  delivers(target: number): boolean {
    return this.options.owned.delivers(target);
  }

  onOwnership(listener: () => void): void {
    this.options.owned.onChange(listener);
  }

  release(target: number): Promise<void> {
    return this.options.owned.release(target);
  }

  onStoredElsewhere(listener: (targets: readonly number[]) => void): void {
    this.storedElsewhere.subscribe(listener);
  }

  list(): Promise<DaemonRecord[]> {
    return orNotReadable(() => this.options.membership.records.list());
  }

  tellLeader(message: LeaderMessage | (() => LeaderMessage), subject?: string): void {
    this.untold.set(subject ?? Symbol(), message);
  }

  onTold(listener: (message: LeaderMessage) => void): void {
    this.told.subscribe(listener);
  }

  onChanged(table: SharedTable, listener: () => void): void {
    this.changed.subscribe((name) => name === table && listener());
  }

  passToLeader(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.leads || this.options.membership.leading === null) return false;
    void this.options.forward(request, response);
    return true;
  }

  /** What another daemon, or this one, announced. */
  receive(notice: Notice): void {
    if (notice.kind === 'told' && this.leads) this.told.emit(notice.message);
    else if (notice.kind === 'messages') this.takeMessages();
    else if (notice.kind === 'changed') this.changed.emit(notice.table);
    else if (notice.kind === 'events') this.storedElsewhere.emit(notice.targets);
  }

  /** Daemons may have left messages, also before this one led. */
  takeMessages(): void {
    if (this.leads) void this.taking.run();
  }

  /** Notices may have been lost. */
  lookAtAll(): void {
    for (const table of TABLES) this.changed.emit(table);
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.taking.stop();
    await this.tell();
  }

  private async tell(): Promise<void> {
    const messages = [...this.untold];
    this.untold.clear();
    for (const [subject, told] of messages) {
      const message = typeof told === 'function' ? told() : told;
      try {
        const { notices, records } = this.options.membership;
        // What is only of the present needs no leader later.
        if (message.kind === 'in_flight') await notices.send({ kind: 'told', message });
        else await records.leaveMessage(message);
      } catch {
        // The next second, unless something newer was told meanwhile.
        if (!this.untold.has(subject)) this.untold.set(subject, told);
      }
    }
  }
}
