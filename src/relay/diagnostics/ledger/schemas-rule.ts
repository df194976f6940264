import { MAX_SCHEMA_BYTES, MAX_TYPES, readSchema } from '../../payload-schemas/schema-node';
import type { Findings, Read } from './findings';

const POSITION = `SELECT (SELECT max(seq) FROM schema_position) AS position,
  (SELECT coalesce(max(seq), 0) FROM events) AS newest`;
const NEXT = 'SELECT type, schema FROM payload_schemas WHERE type > ? ORDER BY type LIMIT 1';

/** Finds schemas of payloads that are beyond their limits, or count events that there are not. */
export async function findWrongSchemas(read: Read, findings: Findings): Promise<void> {
  const add = (sentence: string) => findings.add('payload_schemas', sentence);
  const [at] = await read<{ position: number | null; newest: number }>([POSITION, []]);
  const { position, newest } = at!;
  if (position !== null && position > newest)
    add(`Schemas count events through ${position}, but the newest is ${newest}.`);
  let types = 0;
  for (let after = ''; ;) {
    const [row] = await read<{ type: string; schema: string }>([NEXT, [after]]);
    if (row === undefined) break;
    types += 1;
    after = row.type;
    const { events, root } = readSchema(row.schema);
    if (root.count > events)
      add(`The schema of ${row.type} counts ${root.count} examined events, but ${events} in all.`);
    if (Buffer.byteLength(row.schema) > MAX_SCHEMA_BYTES)
      add(`The schema of ${row.type} is larger than ${MAX_SCHEMA_BYTES / 1_024} KiB.`);
  }
  if (types > MAX_TYPES) add(`There are schemas of ${types} types, more than ${MAX_TYPES}.`);
}
