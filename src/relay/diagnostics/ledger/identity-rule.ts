import type { Findings, Read } from './findings';

/** How many identities one query reads. */
const STEP_IDENTITIES = 2_000;

interface IdentityRow {
  minute: number;
  hash: Uint8Array;
  seq: number;
  missing: 0 | 1;
}

/** Identities may outlive events that retention removed; the events of all others must exist. */
const checkEvents = (identities: string) => `SELECT i.minute, i.hash, i.seq,
    CASE WHEN e.seq IS NULL AND i.seq > (SELECT pruned_through FROM instance) THEN 1 ELSE 0 END AS missing
  FROM (SELECT minute, hash, seq FROM ${identities}) i
  LEFT JOIN events e ON e.seq = i.seq ORDER BY i.minute, i.hash`;

const SORTED = checkEvents('identities WHERE (minute, hash) > (?, ?) ORDER BY minute, hash LIMIT ?');
/** Of about a thousand events. */
const RECENT = checkEvents('recent_identities');

/**
 * Finds identities without an event: a notification with that identity would be counted as a duplicate of an event
 * that does not exist.
 * @returns how many identities there are
 */
export async function findIdentityOrphans(read: Read, findings: Findings): Promise<number> {
  let identities = 0;
  const check = (rows: readonly IdentityRow[]) => {
    identities += rows.length;
    for (const { seq, missing } of rows)
      if (missing === 1) findings.add('identity_orphan', `The identity of event ${seq} has no event.`);
  };
  let after: Pick<IdentityRow, 'minute' | 'hash'> | null = { minute: -1, hash: new Uint8Array() };
  while (after !== null) {
    const rows: IdentityRow[] = await read<IdentityRow>([
      SORTED,
      [after.minute, after.hash, STEP_IDENTITIES],
    ]);
    check(rows);
    after = rows.length < STEP_IDENTITIES ? null : rows.at(-1)!;
  }
  check(await read<IdentityRow>([RECENT, []]));
  return identities;
}
