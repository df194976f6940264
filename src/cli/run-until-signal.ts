import type { Log } from '../relay/ground/log';

/** Attempts in flight have 8 s to end, then the HTTP server 5 s. What remains waits for another process or a disk. */
const STOP_TIMEOUT_MS = 14_000;

/** For the log to be written. */
const LOG_TIME_MS = 100;

/**
 * Shuts down gracefully on the first SIGTERM or SIGINT and exits with 0; a second signal exits immediately
 * with 1. A shutdown that takes too long ends as if killed: threads that wait for a lock could not be ended otherwise.
 * @param stop resolves once everything is saved
 */
export function runUntilSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.fatal(
        'the shutdown took too long, perhaps because another process holds the lock of the database; ending as if killed, which loses no acknowledged event',
      );
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), LOG_TIME_MS);
    }, STOP_TIMEOUT_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
