import type { ListedEvent } from '../../../contract/event';
import type { Verdict } from '../../filters/verdict';
import { RelayError } from '../../ground/relay-error';

/** Aborted when the client disconnects. Reads of different callers take turns. */
export type RequestSignal = AbortSignal & { readonly caller: string };

/** The caller of reads that do not belong to a request. */
export const INTERNAL = '';

/** Values of a payload, by path. */
export interface FieldsOfEvent {
  seq: number;
  fields: ListedEvent['fields'];
}

/** Where bodies are stored, and by what: events by `seq`, those of the entity floor by `entity`. */
export const BODIES_OF = {
  events: { table: 'events', key: 'seq', list: 'numbers' },
  floor: { table: 'entity_floor', key: 'entity', list: 'texts' },
} as const;
export type BodiesOf = (typeof BODIES_OF)[keyof typeof BODIES_OF];

/** The key of a body that may meet conditions, and for each of them whether it does; null if that is not known. */
export interface MatchedBody<Key> {
  key: Key;
  verdicts: readonly Verdict[];
}

/** Runs reads that may be slow (searches, counts, filters) where they do not block the main thread. */
export abstract class Reader {
  /** Takes a statement as TypeORM's query builders return it. @param signal aborted before the read: nothing is read */
  abstract all<Row>(statement: [sql: string, parameters: unknown[]], signal?: RequestSignal): Promise<Row[]>;
  /**
   * Those of these bodies that may meet any of several conditions. Those of other tables than `events` are compared with
   * nothing: there are no operators for changes then.
   * @param conditions each as `bodyConditions` returns them
   */
  abstract matchBodies<Key extends number | string>(
    keys: readonly Key[],
    conditions: readonly string[],
    signal?: RequestSignal,
    of?: BodiesOf,
  ): Promise<MatchedBody<Key>[]>;
  /** Parses the bodies of these events, which must be JSON, and reads the values at the paths. */
  abstract readFields(
    seqs: readonly number[],
    paths: readonly string[],
    signal?: RequestSignal,
  ): Promise<FieldsOfEvent[]>;
  /** Finishes the current reads, and rejects the queued ones. */
  abstract close(): Promise<void>;
}

export const databaseClosed = () => new Error('The database was closed.');

export const requestAbandoned = () =>
  new RelayError('request_abandoned', 499, 'The client disconnected before the response was ready.');

/** 503. @param cause a code, for the log */
export const notReadable = (remedy: string, cause: string) =>
  new RelayError('storage_failed', 503, 'The database could not be read.', { remedy, cause });
