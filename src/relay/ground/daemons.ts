import type { Endpoint } from '../network/endpoint';

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

/** Where the leader is reached. */
export interface LeaderAddress {
  /** In which it leads. */
  epoch: number;
  /** Such as `http://10.0.0.5:4000`. */
  address: string;
}

/** The daemons that use the database. */
export abstract class Daemons {
  /** Of this daemon. */
  abstract readonly id: string;
  /** Where the others reach this application as the leader; null if it does not lead others. */
  abstract readonly ownAddress: LeaderAddress | null;
  /** Where the other daemons are reached, or were within the last day. */
  abstract readonly endpoints: readonly Endpoint[];
  /** All that run, and those that died within the last day, the longest-running first. */
  abstract list(): Promise<DaemonRecord[]>;
}
