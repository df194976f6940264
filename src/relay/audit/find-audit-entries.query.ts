import { Injectable } from '@nestjs/common';
import type { ActorKind, AuditEntry, AuditQuery } from '../../contract/audit';
import type { Page } from '../../contract/page';
import { matchesPattern } from '../database/reading/dialect';
import { Reader } from '../database/reading/reader';
import { unknownCursor } from '../ground/relay-error';
import { cutPage } from '../ground/cut-page';
import { toIso } from '../ground/iso-time';

interface Row extends Pick<AuditEntry, 'action' | 'address' | 'error'> {
  number: number;
  at: number;
  actor: ActorKind;
  actor_id: string | null;
  actor_name: string | null;
  subject_id: string | null;
  subject_name: string | null;
  fields: string;
  secret_shown: number;
}

/** Reads the audit log, newest first. Filtered lists scan all entries, on the reader thread. */
@Injectable()
export class FindAuditEntriesQuery {
  constructor(private readonly reader: Reader) {}

  async list(query: AuditQuery): Promise<Page<AuditEntry>> {
    const conditions = conditionsOf(query);
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
    const rows = await this.reader.all<Row>([
      `SELECT * FROM audit ${where} ORDER BY number DESC LIMIT ?`,
      [...conditions.map(([, value]) => value), query.limit + 1],
    ]);
    return cutPage(rows.map(present), query.limit);
  }
}

function conditionsOf(query: AuditQuery): [sql: string, value: string | number][] {
  const { secret_shown: secretShown, cursor } = query;
  const conditions: [sql: string, value: string | number | undefined][] = [
    ['actor = ?', query.actor],
    ['actor_id = ?', query.actor_id],
    [matchesPattern('action'), query.action],
    ['subject_id = ?', query.subject],
    ['secret_shown = ?', secretShown === undefined ? undefined : Number(secretShown)],
    ['at >= ?', query.since],
    ['at < ?', query.until],
    ['number < ?', cursor === undefined ? undefined : numberOf(cursor)],
  ];
  return conditions.flatMap(([sql, value]) => (value === undefined ? [] : [[sql, value]]));
}

function numberOf(cursor: string): number {
  const [, digits] = /^aud_(\d{1,15})$/.exec(cursor) ?? [];
  if (digits !== undefined) return Number(digits);
  throw unknownCursor();
}

const present = (row: Row): AuditEntry => ({
  id: `aud_${row.number}`,
  at: toIso(row.at),
  actor: { kind: row.actor, id: row.actor_id, name: row.actor_name },
  action: row.action,
  subject: row.subject_id === null ? null : { id: row.subject_id, name: row.subject_name },
  fields: JSON.parse(row.fields) as string[],
  secret_shown: row.secret_shown === 1,
  address: row.address,
  error: row.error,
});
