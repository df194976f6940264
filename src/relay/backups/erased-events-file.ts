import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../ground/make-folder';

/** Beside the backups, the ids of the events that were erased since: one object of JSON in each line. */
export const ERASURES_FILE = 'erasures.ndjson';

/** On disk when it returns. Repeating it does no harm. */
export function recordErased(
  folder: string,
  erasure: string,
  erasedAt: string,
  ids: readonly string[],
): void {
  makeFolder(folder);
  const file = openSync(join(folder, ERASURES_FILE), 'a', 0o600);
  try {
    const lines = ids.map((id) => `${JSON.stringify({ id, erasure, erased_at: erasedAt })}\n`);
    appendFileSync(file, lines.join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The ids of the events. A line that was not written to its end is left out: its erasure writes it again. */
export const readErased = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => /^\{"id":"(evt_[0-9a-z]{26})".*\}$/.exec(line)?.[1] ?? []);
