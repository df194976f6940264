import { isatty } from 'node:tty';
import type { Log } from '../relay/ground/log';

/** Attempts in flight have 8 s to end, then the HTTP server 5 s. What remains waits for another process or a disk. */
const STOP_TIMEOUT_MS = 14_000;

/** For the log to be written. */
const LOG_TIME_MS = 100;

/** Sent to end the process; a second one ends it at once. */
const ENDING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT'];
/** Warnings that it will soon be ended anyway: by its limit of processor time, or by a loss of power. */
const WARNING: readonly NodeJS.Signals[] = ['SIGXCPU', 'SIGPWR'];
/** These would end it by default; SIGUSR1 would open the port of Node's debugger. */
const IGNORED: readonly NodeJS.Signals[] = ['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGIO'];

/**
 * Shuts down gracefully on the first signal to end and exits with `process.exitCode`, or 0; a second one exits
 * immediately with 1. SIGHUP is such a signal if it says that the terminal was closed; service managers and scripts
 * for log files send it for other reasons, to which there is nothing to do. A shutdown that takes too long ends as if
 * killed: threads that wait for a lock could not be ended otherwise.
 * @param stop resolves once everything is saved
 */
export function runUntilSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping && ENDING.includes(signal)) process.exit(1);
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.fatal(
        { active_resources: process.getActiveResourcesInfo() },
        'the shutdown took too long, perhaps because another process holds the lock of the database; ending as if killed, which loses no acknowledged event',
      );
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), LOG_TIME_MS);
    }, STOP_TIMEOUT_MS).unref();
    stop().then(
      () => (signal === 'SIGHUP' ? endBySignal(signal) : process.exit()),
      (error: unknown) => {
        log.fatal({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  const ignore = (signal: NodeJS.Signals) =>
    log.info({ signal }, 'signal ignored: nothing is read again without a restart');
  for (const signal of [...ENDING, ...WARNING]) process.on(signal, onSignal);
  for (const signal of IGNORED) process.on(signal, ignore);
  process.on('SIGHUP', [0, 1, 2].some(isatty) ? onSignal : ignore);
}

/** Node's own exit resets the terminal, and crashes if that is closed. */
function endBySignal(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
