import { inJsonList } from '../database/reading/dialect';
import { ERASED_IDENTITIES, EVENTS_OF_ENTITY, NOT_ERASED } from '../database/erasure-rules';
import { parseInstanceId } from '../database/journal/instance-record';
import type { Change } from '../database/journal/journal';
import { insert, type Statement } from '../database/journal/statements';
import { rewriteCopy } from '../database/sqlite/database-copy';
import { SqliteWriter } from '../database/sqlite/writer/writer';
import { seqOfEventId, type InstanceId } from '../ground/ids';
import type { RecordedErasure } from './erased-events-file';

const EVENTS_PER_STEP = 500;

/** Erases in a copy of the database that nothing else uses. @returns how many events it had that were erased */
export function eraseAgain(copy: string, erasures: readonly RecordedErasure[], now: number): number {
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
  const read = <Row>(...statement: Statement) => change({ statements: [statement] })[0] as Row[];
  try {
    return erasures.reduce((count, erasure) => count + repeat(erasure, { change, read, instance, now }), 0);
  } finally {
    writer.close();
    rewriteCopy(copy);
  }
}

interface Copy {
  change: (one: Partial<Change>) => unknown[][];
  read: <Row>(...statement: Statement) => Row[];
  instance: InstanceId;
  now: number;
}

/** @returns how many of its events were there */
function repeat(
  { id, events, entity, until, erasedAt, statesOf }: RecordedErasure,
  { change, read, instance, now }: Copy,
): number {
  const [known] = read<{ number: number }>('SELECT number FROM erasures WHERE id = ?', [id]);
  // If the erasure is known there, what the copy has of the entities came later.
  const erased = known === undefined ? entity : null;
  const others = known === undefined ? statesOf : [];
  const untilSeq = until === null ? null : seqOfEventId(until, instance);
  // Retention may have removed some of the entity before they were erased: these are not named by their ids.
  const seqs = read<{ seq: number }>(
    `SELECT e.seq FROM events e WHERE ${NOT_ERASED} AND (e.seq ${inJsonList('@named')}
       OR e.seq IN (${EVENTS_OF_ENTITY}) AND e.received_at <= @latest) ORDER BY e.seq`,
    [
      {
        named: JSON.stringify(events.flatMap((event) => seqOfEventId(event, instance) ?? [])),
        entity: erased,
        until: untilSeq ?? Number.MAX_SAFE_INTEGER,
        // Elsewhere the same `seq` may be another event.
        latest: untilSeq === null ? erasedAt : Number.MAX_SAFE_INTEGER,
      },
    ],
  ).map(({ seq }) => seq);
  if (seqs.length === 0 && erased === null) return 0;
  const [sql, parameters] = insert('erasures', {
    id,
    entity,
    until_seq: seqs.at(-1) ?? 0,
    reason: 'Erased again after a restore.',
    requested_by: JSON.stringify({ kind: 'command_line', id: null, name: null }),
    state: 'done',
    total: seqs.length,
    events: seqs.length,
    created_at: now,
    erased_at: now,
    ended_at: now,
  });
  const { number } = known ?? read<{ number: number }>(`${sql} RETURNING number`, parameters)[0]!;
  for (let i = 0; i === 0 || i < seqs.length; i += EVENTS_PER_STEP) {
    const some = seqs.slice(i, i + EVENTS_PER_STEP);
    // What was learned of their types may have values of theirs.
    const forget = ['payload_schemas', 'payload_schema_versions'].map((table): Statement => [
      `DELETE FROM ${table} WHERE type IN (SELECT type FROM events WHERE seq ${inJsonList()})`,
      [JSON.stringify(some)],
    ]);
    const identities = ERASED_IDENTITIES.map((one): Statement => [one, [{ seqs: JSON.stringify(some) }]]);
    change({
      statements: [...forget, ...identities],
      erase: { seqs: some, entity: erased, erasure: number, at: now },
    });
  }
  for (const other of others) change({ erase: { seqs: [], entity: other, erasure: number, at: now } });
  return seqs.length;
}
