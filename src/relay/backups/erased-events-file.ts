import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../ground/make-folder';
import { isJsonObject } from '../ground/parse-body';

/** Beside the backups, what was erased since: one object of JSON in each line. */
export const ERASURES_FILE = 'erasures.ndjson';

/** An event by its id, an entity of which everything goes, or one of which only what is kept without an event goes. */
type ErasedThing = { id: string } | { entity: string } | { state_of: string };

export interface RecordedErasure {
  id: string;
  /** Ids of events. */
  events: string[];
  entity: string | null;
  /** Entities. */
  statesOf: string[];
}

/** On disk when it returns. Repeating it does no harm. */
export function recordErased(
  folder: string,
  erasure: string,
  erasedAt: string,
  things: readonly ErasedThing[],
): void {
  makeFolder(folder);
  const file = openSync(join(folder, ERASURES_FILE), 'a', 0o600);
  try {
    const lines = things.map((thing) => JSON.stringify({ ...thing, erasure, erased_at: erasedAt }));
    // What was not written to its end before stays a line of its own.
    appendFileSync(file, `\n${lines.join('\n')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A line that was not written to its end is left out: its erasure writes it again. */
export function readErased(file: string): RecordedErasure[] {
  const erasures = new Map<string, RecordedErasure>();
  for (const { id, entity, state_of: stateOf, erasure } of readFileSync(file, 'utf8')
    .split('\n')
    .map(readLine)) {
    if (typeof erasure !== 'string') continue;
    const known = erasures.get(erasure) ?? { id: erasure, events: [], entity: null, statesOf: [] };
    if (typeof id === 'string') known.events.push(id);
    if (typeof entity === 'string') known.entity = entity;
    if (typeof stateOf === 'string') known.statesOf.push(stateOf);
    erasures.set(erasure, known);
  }
  return [...erasures.values()];
}

function readLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
