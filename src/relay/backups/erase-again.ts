import { inJsonList } from '../database/reading/dialect';
import { NOT_ERASED } from '../database/erasure-rules';
import { parseInstanceId } from '../database/journal/instance-record';
import type { Change } from '../database/journal/journal';
import { insert } from '../database/journal/statements';
import { rewriteCopy } from '../database/sqlite/database-copy';
import { SqliteWriter } from '../database/sqlite/writer/writer';
import { newId, seqOfEventId } from '../ground/ids';
import type { Random } from '../ground/random';

const EVENTS_PER_STEP = 500;

/** Erases events in a copy of the database that nothing else uses. @returns how many of them it had */
export function eraseAgain(
  copy: string,
  ids: readonly string[],
  { now, random }: { now: number; random: Random },
): number {
  const writer = new SqliteWriter(copy);
  const instance = parseInstanceId(writer.instance);
  const change = (one: Partial<Change>): unknown[][] => {
    const input = { statements: [], schedule: [], end: [], ...one };
    const work = { append: [], result: [], change: [input], prune: [], shrink: [] };
    const { outcomes, error } = writer.commit({ now, targetsVersion: null, work }, Infinity);
    const [outcome] = outcomes.change;
    if (typeof outcome === 'object') return outcome.rows;
    throw new Error(`Nothing was erased (${error ?? outcome}).`);
  };
  try {
    const known = [...new Set(ids.flatMap((id) => seqOfEventId(id, instance) ?? []))];
    const select = `SELECT e.seq FROM events e WHERE e.seq ${inJsonList()} AND ${NOT_ERASED} ORDER BY e.seq`;
    const seqs = (change({ statements: [[select, [JSON.stringify(known)]]] })[0] as { seq: number }[]).map(
      ({ seq }) => seq,
    );
    if (seqs.length === 0) return 0;
    const [sql, parameters] = insert('erasures', {
      id: newId('ers', now, random),
      until_seq: seqs.at(-1),
      reason: 'Erased again after a restore.',
      requested_by: JSON.stringify({ kind: 'command_line', id: null, name: null }),
      state: 'done',
      total: seqs.length,
      events: seqs.length,
      created_at: now,
      erased_at: now,
      ended_at: now,
    });
    const [row] = change({ statements: [[`${sql} RETURNING number`, parameters]] });
    const { number: erasure } = row![0] as { number: number };
    for (let i = 0; i < seqs.length; i += EVENTS_PER_STEP) {
      const some = seqs.slice(i, i + EVENTS_PER_STEP);
      // What was learned of their types may have values of theirs.
      const forget = ['payload_schemas', 'payload_schema_versions'].map((table) => [
        `DELETE FROM ${table} WHERE type IN (SELECT type FROM events WHERE seq ${inJsonList()})`,
        [JSON.stringify(some)],
      ]) as Change['statements'];
      change({ statements: forget, erase: { seqs: some, entity: null, erasure, at: now } });
    }
    return seqs.length;
  } finally {
    writer.close();
    rewriteCopy(copy);
  }
}
