import type { DataSource } from 'typeorm';
import type { Clock } from '../ground/clock';
import type { Log } from '../ground/log';
import type { TimeBounds } from '../ground/time-bounds';
import type { Journal } from './journal/journal';
import type { openReadingSource } from './sqlite/open-database';
import type { Reader } from './reading/reader';

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
  entities: Parameters<typeof openReadingSource>[1];
  /** Gets what closes each part, in the order in which they were opened. */
  closers: (() => unknown)[];
}
