import { CommanderError } from 'commander';
import { StartupError } from '../relay/ground/relay-error';
import { CommandFailed, startFailed } from './command-failed';
import { DaemonUnavailable } from './daemon-client';
import { EXIT } from './exit-codes';

/** @returns the exit code of a command that failed with this error */
export function printError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (error instanceof StartupError) return printError(startFailed('Switchboard cannot start', error));
  if (error instanceof DaemonUnavailable) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.unavailable;
  }
  if (error instanceof CommandFailed) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT.failed;
}
