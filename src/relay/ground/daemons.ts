import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NotStoredReason, Stats } from '../../contract/stats';
import type { Clock } from './clock';
import type { CountedDurations } from './duration-histogram';
import { newId } from './ids';
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
}

/** What a daemon that only receives found out, for the leader. */
export type LeaderMessage =
  | { kind: 'notification'; subscriptionId: number; header: string; webhookId: string | null; at: number }
  | { kind: 'received'; responses: Stats['received']; durations: CountedDurations }
  | { kind: 'not_stored'; reason: Exclude<NotStoredReason, 'unknown_key'>; count: number };

/** A table that daemons which only receive have in memory. */
export type SharedTable = 'targets' | 'subscriptions';

/**
 * The daemons that use one database. One of them leads: it does everything but receive notifications, which all do. An
 * application leads or only receives for as long as it runs; when that changes, the daemon starts another one.
 */
export abstract class Daemons {
  /** Whether this application leads. */
  abstract readonly leads: boolean;
  /** Whether another daemon may have changed the database. */
  abstract readonly isShared: boolean;
  /**
   * Whether no other daemon can have become the leader. Check it right before a request to a target or to Co-Pilot; what is
   * written is refused by the database.
   */
  abstract holdsLease(): boolean;
  /** All that run, and those that died within the last day, the longest-running first. */
  abstract list(): Promise<DaemonRecord[]>;
  /** Tells the leader, at the latest a second later. @param key replaces what was told with the same key and not sent yet */
  abstract tellLeader(key: string, message: LeaderMessage): void;
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
  readonly isShared = false;
  private readonly id: string;

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

  async list(): Promise<DaemonRecord[]> {
    const { id } = this;
    const aliveUntil = this.clock.now() + ALIVE_MS;
    return [{ id, address: this.address(), version: VERSION, aliveUntil, isAlive: true, isLeader: true }];
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
