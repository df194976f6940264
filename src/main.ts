#!/usr/bin/env node
import { run } from './cli/run';

// Names are looked up on libuv's threads, on at most half of them at a time: with the default of four, two silent
// name servers would delay all other lookups. A lookup cannot be cancelled, and the process ends only after it: glibc
// gives up after 10 s.
process.env['UV_THREADPOOL_SIZE'] ??= '32';
process.env['RES_OPTIONS'] ??= 'timeout:2 attempts:2';

// Before any file is created: files with tokens or payloads must be readable only by their owner.
process.umask(0o077);

// A reader such as `head` may have enough. What is under way continues: it does not depend on who reads the output.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`The output cannot be written (${error.code}).\n`);
    process.exit(1);
  });

/** A failed start has closed everything by now, so there is nothing to wait for. */
const endIfFailed = (exitCode: number | null) => (exitCode === null ? undefined : process.exit(exitCode));

void run(process.argv.slice(2)).then(endIfFailed);
