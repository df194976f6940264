import type { Change } from '../../journal/journal';
import { end, schedule } from './deliveries';
import { eraseEvents } from './erasing';
import type { Transaction } from './transaction';

/** Runs a change in the transaction of its group. */
export async function change(
  transaction: Transaction,
  { statements, schedule: drafts, end: ends, erase }: Change,
) {
  const rows: unknown[][] = [];
  for (const [sql, parameters] of statements)
    rows.push((await transaction.client.query(sql, parameters)).rows);
  const scheduled = await schedule(transaction, drafts);
  const ended = [];
  for (const draft of ends) ended.push(await end(transaction, draft));
  const cancelled = erase === undefined ? [] : await eraseEvents(transaction, erase);
  return { rows, scheduled, ended, cancelled };
}
