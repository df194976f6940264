#!/usr/bin/env node
import { CommanderError } from 'commander';
import { CommandFailed } from './cli/command-failed';
import { DaemonUnavailable } from './cli/daemon-client';
import { formatFaults } from './cli/format-faults';
import { mainCommand } from './cli/main-command';
import { StartupError } from './relay/ground/relay-error';

const EXIT = { failed: 1, usage: 2, unavailable: 69, config: 78 } as const;

// Before any file is made: whatever holds tokens or payloads is for its owner alone.
process.umask(0o077);

mainCommand()
  .parseAsync()
  .catch((error: unknown) => {
    process.exitCode = report(error);
    // What a start had opened before it was refused is closed by now; nothing is worth waiting for.
    process.exit();
  });

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (error instanceof StartupError) {
    process.stderr.write(`${formatFaults('Switchboard cannot start', error.faults)}\n`);
    return EXIT.config;
  }
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
