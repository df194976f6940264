import type { DataSource } from 'typeorm';
import type { AlertSummary } from '../../contract/alert';
import type { Statement } from '../database/journal/statements';
import { unknownCursor } from '../ground/relay-error';
import { presentAlert, type AlertRecord, type AlertRow } from './alert-record';

const HISTORY_LIMIT = 1_000;

/** Removes the oldest resolved alerts. */
export const TRIM_HISTORY: Statement = [
  'DELETE FROM alerts WHERE resolved_at IS NOT NULL AND number <= (SELECT max(number) FROM alerts) - ?',
  [HISTORY_LIMIT],
];

/** Resolved alerts below `cursor`, newest first. @throws RelayError `cursor_unknown`, 400, also once it was removed */
export async function resolvedAlerts(
  source: DataSource,
  cursor: string | undefined,
  limit: number,
): Promise<AlertSummary[]> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : await numberOf(source, cursor);
  const rows = await source.query<AlertRow[]>(
    'SELECT * FROM alerts WHERE resolved_at IS NOT NULL AND number < ? ORDER BY number DESC LIMIT ?',
    [before, limit],
  );
  return rows.map((row) => presentAlert(row, parseData(row)));
}

/** The alerts that are active, were resolved after `since`, or have changes that are not published yet. */
export async function unfinishedAlerts(source: DataSource, since: number): Promise<AlertRecord[]> {
  const rows = await source.query<(AlertRow & { number: number })[]>(
    `SELECT * FROM alerts WHERE resolved_at IS NULL OR resolved_at > ? OR published_state IS DISTINCT FROM 'resolved' ORDER BY number`,
    [since],
  );
  return rows.map(({ number: _number, ...row }) => ({ ...row, data: parseData(row) }));
}

async function numberOf(source: DataSource, id: string): Promise<number> {
  const [row] = await source.query<{ number: number }[]>('SELECT number FROM alerts WHERE id = ?', [id]);
  if (row === undefined) throw unknownCursor();
  return row.number;
}

const parseData = ({ data }: AlertRow) => JSON.parse(data) as AlertRecord['data'];
