import type { DataSource } from 'typeorm';
import type { Journal } from '../../../src/relay/database/journal/journal';
import type { Reader } from '../../../src/relay/database/reading/reader';
import type { Clock } from '../../../src/relay/ground/clock';
import type { Log } from '../../../src/relay/ground/log';
import type { TimeBounds } from '../../../src/relay/ground/time-bounds';
import type { Fault, Faults } from './faults';

/** A database with faults, for many runs, which each begin with an empty one. */
export interface Disk {
  readonly source: DataSource;
  readonly reader: Reader;
  readonly faults: readonly Fault[];
  /** Whether several daemons may use it. */
  readonly isShared: boolean;
  /** Resolves once no statement is under way; null if none is. */
  idle(): Promise<void> | null;
  clear(): Promise<void>;
  /** For a process that starts. */
  open(clock: Clock, bounds: TimeBounds, log: Log, faults: Faults): Promise<Journal>;
  /** The process ends: what it has not committed is gone. */
  kill(): Promise<void>;
  rows<Row>(sql: string): Promise<Row[]>;
  remove(): Promise<void>;
}
