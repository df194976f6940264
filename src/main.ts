#!/usr/bin/env node
import { CommanderError } from 'commander';
import { CommandFailed, startFailed } from './cli/command-failed';
import { DaemonUnavailable } from './cli/daemon-client';
import { EXIT } from './cli/exit-codes';
import { mainCommand } from './cli/main-command';
import { StartupError } from './relay/ground/relay-error';

// Before any file is created: files with tokens or payloads must be readable only by their owner.
process.umask(0o077);

// A reader such as `head` may have enough. What is under way continues: it does not depend on who reads the output.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

mainCommand()
  .parseAsync()
  .catch((error: unknown) => {
    process.exitCode = printError(error);
    // A failed start has closed everything by now, so there is nothing to wait for.
    process.exit();
  });

function printError(error: unknown): number {
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
