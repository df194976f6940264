import { errorCode } from '../../ground/describe-error';
import { DatabaseUnavailable, StartupError } from '../../ground/relay-error';
import { isStorageFailure } from './postgres-errors';

/** Runs work of the start. @throws DatabaseUnavailable if the server is at fault */
export async function orUnavailable<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartupError || !isStorageFailure(error)) throw error;
    throw new DatabaseUnavailable({
      where: 'DATABASE_URL',
      what: `PostgreSQL at ${nameAddress(url)} cannot be used (${errorCode(error)}: ${(error as Error).message}).`,
      remedy:
        'Check that the server runs and is reachable from here, and the user, password and database of the address.',
    });
  }
}

/** Without user and password. */
export function nameAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'the default address'}${pathname}`;
}
