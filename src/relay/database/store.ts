import type { DataSource, DataSourceOptions } from 'typeorm';
import type { Clock } from '../ground/clock';
import type { Log } from '../ground/log';
import type { TimeBounds } from '../ground/time-bounds';
import type { Journal } from './journal/journal';
import type { Reader } from './reading/reader';

export type EntityClass =
  NonNullable<DataSourceOptions['entities']> extends infer E ? Extract<E, unknown[]> : never;

/** The database, open and up to date. */
export interface Store {
  journal: Journal;
  reader: Reader;
  source: DataSource;
  /** Continue those of the previous run. */
  bounds: TimeBounds;
}

export interface StoreTools {
  clock: Clock;
  log: Log;
  entities: EntityClass;
  /** Gets what closes each part, in the order in which they were opened. */
  closers: (() => unknown)[];
}
