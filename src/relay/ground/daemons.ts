import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../network/endpoint';
import type { LostReason, Stats } from '../../contract/stats';
import type { Clock } from './clock';
import type { CountedDurations } from './duration-histogram';
import { newId, type DeliveryKey } from './ids';
import type { Random } from './random';
import { VERSION } from './version';

/** A daemon that uses the database. */
export interface DaemonRecord {
  id: string;
  /** Where the other daemons reach it. */
  address: string;
  version: string;
  /** The end of its lease, in ms since 1970. */
  aliveUntil: number;
  /** Whether that is ahead, by the time of the database. */
  isAlive: boolean;
  isLeader: boolean;
  /** The numbers of the targets it delivers to; null: all. */
  targets: readonly number[] | null;
}

/** Who leads, and since when. */
export interface Leading {
  epoch: number;
  /** Where it is reached, such as `http://10.0.0.5:4000`. */
  address: string;
}

/** What a daemon that does not lead found out, for the leader. */
export type LeaderMessage =
  | { kind: 'in_flight'; daemon: string; keys: readonly DeliveryKey[] }
  | { kind: 'machine_fault'; code: string }
  | { kind: 'gone'; target: string; updatedAt: number; reason: string }
  | { kind: 'notification'; subscriptionId: number; header: string; webhookId: string | null; at: number }
  | { kind: 'received'; responses: Stats['received']; durations: CountedDurations }
  | {
      kind: 'not_stored';
      reason: LostReason;
      cause?: string | undefined;
      count: number;
    };

/** A table that daemons which do not lead have in memory. */
export type SharedTable = 'targets' | 'subscriptions';

/**
 * Whether this application delivers to a target: `yes`; `ending`: it starts no more attempts, and releases the target once the
 * results of those in flight are on disk; `no`: nothing of it can be stored.
 */
export type Ownership = 'yes' | 'ending' | 'no';

/**
 * The daemons that use one database. All receive notifications, and each delivers to the targets that it owns. One of them
 * leads: it does everything else. An application leads or not for as long as it runs; when that changes, the daemon starts
 * another one.
 */
export abstract class Daemons {
  /** Of this daemon. */
  abstract readonly id: string;
  /** Whether this application leads. */
  abstract readonly leads: boolean;
  /** In which epoch this application leads other daemons, and where they reach it; null if it does not. */
  abstract readonly leading: Leading | null;
  /** Whether another daemon may have changed the database. */
  abstract readonly isShared: boolean;
  /**
   * Whether this application leads, and no other daemon can have become the leader. Check it right before a request to Co-Pilot;
   * what is written is refused by the database.
   */
  abstract holdsLease(): boolean;
  abstract ownershipOf(target: number): Ownership;
  /** Whether this daemon owns the target, and no other one can have become its owner. Check it right before an attempt. */
  abstract delivers(target: number): boolean;
  /** Calls `listener` when the targets that this daemon owns may have changed. */
  abstract onOwnership(listener: () => void): void;
  /** Lets another daemon own a target, of which nothing is in memory any more. */
  abstract release(target: number): Promise<void>;
  /** Calls `listener` with targets for which another daemon has stored events. */
  abstract onStoredElsewhere(listener: (targets: readonly number[]) => void): void;
  /** Where the other daemons are reached, or were within the last day. */
  abstract readonly endpoints: readonly Endpoint[];
  /** All that run, and those that died within the last day, the longest-running first. */
  abstract list(): Promise<DaemonRecord[]>;
  /**
   * Tells the leader, at the latest a second later.
   * @param message if a function, it is called when it is sent
   * @param subject replaces what was told about the same subject and not sent yet
   */
  abstract tellLeader(message: LeaderMessage | (() => LeaderMessage), subject?: string): void;
  /** Calls `listener` for what the other daemons tell. */
  abstract onTold(listener: (message: LeaderMessage) => void): void;
  /** Calls `listener` when another daemon may have changed a table that this one has in memory. */
  abstract onChanged(table: SharedTable, listener: () => void): void;
  /** Lets the leader answer a request that this daemon has no answer to. @returns false if there is no other daemon to ask */
  abstract passToLeader(request: IncomingMessage, response: ServerResponse): boolean;
}

/** How far ahead a daemon without others says that it lives. */
const ALIVE_MS = 10_000;

/** The daemon that has its database to itself. */
export class OnlyDaemon extends Daemons {
  readonly leads = true;
  readonly leading = null;
  readonly isShared = false;
  readonly endpoints = [];
  readonly id: string;

  constructor(
    private readonly clock: Clock,
    random: Random,
    private readonly address: () => string,
  ) {
    super();
    this.id = newId('dmn', clock.now(), random);
  }

  holdsLease(): boolean {
    return true;
  }

  ownershipOf(): Ownership {
    return 'yes';
  }

  delivers(): boolean {
    return true;
  }

  onOwnership(): void {
    // Nobody else.
  }

  async release(): Promise<void> {
    // Nobody else.
  }

  onStoredElsewhere(): void {
    // Nobody else.
  }

  async list(): Promise<DaemonRecord[]> {
    const { id } = this;
    const aliveUntil = this.clock.now() + ALIVE_MS;
    return [
      {
        id,
        address: this.address(),
        version: VERSION,
        aliveUntil,
        isAlive: true,
        isLeader: true,
        targets: null,
      },
    ];
  }

  tellLeader(): void {
    // Nobody else.
  }

  onTold(): void {
    // Nobody else.
  }

  onChanged(): void {
    // Nobody else.
  }

  passToLeader(): boolean {
    return false;
  }
}
