import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { errorCode } from '../../../ground/describe-error';
import { lowerThreadPriority } from '../../../ground/lower-thread-priority';
import { TextIndexFile } from './text-index-file';

/** Lower, and it would never catch up beside busy programs. */
const PRIORITY_STEPS = 10;

/** Then the thread ends, which returns its memory; the next event starts it again. */
const IDLE_MS = 10_000;

export interface IndexProgress {
  through: number;
  /** The trigrams that are not indexed; null if they are those of the last report. */
  common: string | null;
  /** SQLite's code, if the last chunk could not be written. */
  failed: string | null;
}

export type IndexRequest = 'catch up' | 'forget' | null;
export type IndexResponse = IndexProgress | 'forgotten';

const port = parentPort!;
const { databaseFile, indexFile } = workerData as { databaseFile: string; indexFile: string };
lowerThreadPriority(PRIORITY_STEPS);
const index = new TextIndexFile(databaseFile, indexFile);
let working = false;
let closing = false;
let checkedMarker = '';
let reportedCommon: string | null = null;
report(null);
let idle = setTimeout(close, IDLE_MS);

let mustForget = false;

/**
 * A message starts a catch-up, reported after each chunk; `forget` then also removes what was erased. Null ends the thread
 * after the current chunk.
 */
port.on('message', (request: IndexRequest) => {
  closing ||= request === null;
  mustForget ||= request === 'forget';
  clearTimeout(idle);
  if (!working) void catchUp();
});

async function catchUp(): Promise<void> {
  working = true;
  try {
    while (addChunk()) {
      report(null);
      await yieldTurn();
    }
    index.commit();
    report(null);
    await removePruned();
    if (mustForget) await forgetErased();
  } catch (error) {
    report(errorCode(error));
  } finally {
    working = false;
  }
  if (mustForget && !closing) void catchUp();
  else if (closing) close();
  else idle = setTimeout(close, IDLE_MS);
}

function close(): void {
  clearTimeout(idle);
  index.close();
  port.close();
}

const addChunk = () => !closing && index.addNext();

async function removePruned(): Promise<void> {
  if (closing) return;
  const { pruneMarker } = index;
  if (pruneMarker === checkedMarker) return;
  for (let after: number | null = 0; after !== null; after = index.removePruned(after)) {
    await yieldTurn();
    if (closing) return;
  }
  checkedMarker = pruneMarker;
}

async function forgetErased(): Promise<void> {
  mustForget = false;
  index.removeErased();
  for (let first = true; index.mergeAll(first); first = false) {
    await yieldTurn();
    if (closing) return;
  }
  port.postMessage('forgotten' satisfies IndexResponse);
}

function report(failed: string | null): void {
  const { list } = index.common;
  const common = list === reportedCommon ? null : list;
  reportedCommon = list;
  port.postMessage({ through: index.through, common, failed } satisfies IndexProgress);
}

/** Lets the thread receive messages, and other processes run. */
const yieldTurn = () => wait(1);
