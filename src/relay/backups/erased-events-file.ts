import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../ground/make-folder';
import { isJsonObject } from '../ground/parse-body';

/** Beside the backups, what was erased since: one object of JSON in each line. */
export const ERASURES_FILE = 'erasures.ndjson';

/**
 * An event by its id; an entity of which everything goes up to a place in the order of events, in the form of an
 * event's id; or one of which only what is kept without an event goes.
 */
export type ErasureLine = { id: string } | { entity: string; until: string } | { state_of: string };

export interface RecordedErasure {
  id: string;
  /** Ids of events. */
  events: string[];
  entity: string | null;
  /** Null in older files. */
  until: string | null;
  /** Ms since 1970. */
  erasedAt: number;
  /** Entities. */
  statesOf: string[];
}

/** On disk when it returns. Repeating it does no harm. */
export function recordErased(
  folder: string,
  erasure: string,
  erasedAt: string,
  erased: readonly ErasureLine[],
): void {
  makeFolder(folder);
  const file = openSync(join(folder, ERASURES_FILE), 'a', 0o600);
  try {
    const lines = erased.map((one) => JSON.stringify({ ...one, erasure, erased_at: erasedAt }));
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
  for (const line of readFileSync(file, 'utf8').split('\n').map(readLine)) {
    const { id, entity, until, state_of: stateOf, erasure } = line;
    if (typeof erasure !== 'string') continue;
    const erasedAt = Date.parse(String(line['erased_at']));
    const first = { id: erasure, events: [], entity: null, until: null, erasedAt, statesOf: [] };
    const known = erasures.get(erasure) ?? first;
    if (typeof id === 'string') known.events.push(id);
    if (typeof entity === 'string') known.entity = entity;
    if (typeof until === 'string') known.until = until;
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
