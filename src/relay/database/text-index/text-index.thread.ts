import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { TextIndexFile } from './text-index-file';

/** The lowest priority: everything else gets the CPU first. On Linux it applies to this thread alone. */
const PRIORITY = 19;

export interface IndexProgress {
  through: number;
  /** SQLite's code, if the last chunk could not be written. */
  failed: string | null;
}

const port = parentPort!;
const { databaseFile, indexFile } = workerData as { databaseFile: string; indexFile: string };
try {
  if (process.platform === 'linux') setPriority(0, PRIORITY);
} catch {
  // Then it runs at normal priority.
}
const index = new TextIndexFile(databaseFile, indexFile);
let working = false;
let closing = false;
let sweptAt = '';
report(null);

/** A message asks it to catch up; it reports its progress after each chunk. Null ends it after the current chunk. */
port.on('message', (request: 'catch up' | null) => {
  closing ||= request === null;
  if (!working) void catchUp();
});

async function catchUp(): Promise<void> {
  working = true;
  try {
    while (indexChunk()) {
      report(null);
      await yieldTurn();
    }
    await sweep();
  } catch (error) {
    report((error as { code?: string }).code ?? String(error));
  } finally {
    working = false;
  }
  if (!closing) return;
  index.close();
  port.close();
}

const indexChunk = () => !closing && index.indexNext();

async function sweep(): Promise<void> {
  if (closing) return;
  const { removals } = index;
  if (removals === sweptAt) return;
  for (let after: number | null = 0; after !== null; after = index.sweep(after)) {
    await yieldTurn();
    if (closing) return;
  }
  sweptAt = removals;
}

function report(failed: string | null): void {
  port.postMessage({ through: index.through, failed } satisfies IndexProgress);
}

/** Lets messages in, and other processes run. */
const yieldTurn = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, 1);
  });
