import type { Log } from '../relay/ground/log';

/**
 * Shuts down gracefully on the first SIGTERM or SIGINT and exits with 0; a second signal exits immediately
 * with 1.
 * @param stop resolves once everything is saved
 */
export function runUntilSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
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
