import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { TextIndexFile } from './text-index-file';

/** The lowest there is: whatever else wants the processor goes first. On Linux this is the thread's own. */
const PRIORITY = 19;

export interface IndexProgress {
  through: number;
  /** SQLite's code, where the last piece could not be written. */
  failed: string | null;
}

const port = parentPort!;
const { databaseFile, indexFile } = workerData as { databaseFile: string; indexFile: string };
try {
  if (process.platform === 'linux') setPriority(0, PRIORITY);
} catch {
  // Then it works beside the others.
}
const index = new TextIndexFile(databaseFile, indexFile);
let working = false;
let closing = false;
let sweptAt = '';
tell(null);

/** A message asks it to catch up; it tells after each piece how far it is. Null ends it behind the piece at hand. */
port.on('message', (request: 'catch up' | null) => {
  closing ||= request === null;
  if (!working) void catchUp();
});

async function catchUp(): Promise<void> {
  working = true;
  try {
    while (takePiece()) {
      tell(null);
      await turn();
    }
    await sweep();
  } catch (error) {
    tell((error as { code?: string }).code ?? String(error));
  } finally {
    working = false;
  }
  if (!closing) return;
  index.close();
  port.close();
}

const takePiece = () => !closing && index.take();

async function sweep(): Promise<void> {
  if (closing) return;
  const { removals } = index;
  if (removals === sweptAt) return;
  for (let after: number | null = 0; after !== null; after = index.sweep(after)) {
    await turn();
    if (closing) return;
  }
  sweptAt = removals;
}

function tell(failed: string | null): void {
  port.postMessage({ through: index.through, failed } satisfies IndexProgress);
}

/** Lets messages in, and the rest of the machine go first. */
const turn = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, 1);
  });
