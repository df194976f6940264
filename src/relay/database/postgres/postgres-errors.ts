import { errorCode } from '../../ground/describe-error';
import { notReadable } from '../reading/reader';

const SQLSTATE = /^[\dA-Z]{5}$/;

/** Serialization failure, deadlock, lock not available: the same work succeeds when it is run again. */
const TRANSIENT = new Set(['40001', '40P01', '55P03']);

/**
 * The server or the connection to it is at fault, not the work: no connection (08), authorization (28), no such
 * database (3D), resources (53), shutdown or time limit (57), system errors (58), corrupted data (XX), a read-only
 * standby (25006).
 */
const STORAGE = /^(08|28|3D|53|57|58|XX|25006)/;

const REMEDY = 'Check that the PostgreSQL server is reachable and not overloaded, then try again.';

const UNIQUE_VIOLATION = '23505';

/** Also if two gave a delivery of one event to one target the same `n`: run again, this one takes the next. */
export const isTransient = (error: unknown) =>
  TRANSIENT.has(errorCode(error)) ||
  (errorCode(error) === UNIQUE_VIOLATION && (error as { table?: string }).table === 'deliveries');

/** Whether the work would have succeeded on a server that works. What has no SQLSTATE comes from the connection. */
export function isStorageFailure(error: unknown): boolean {
  const code = errorCode(error);
  return !SQLSTATE.test(code) || STORAGE.test(code);
}

/** Runs a read. @throws RelayError `storage_failed`, 503, if the server or the connection to it is at fault */
export async function orNotReadable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isStorageFailure(error) ? notReadable(REMEDY, errorCode(error)) : error;
  }
}
