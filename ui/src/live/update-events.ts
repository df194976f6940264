import type { EventSummary } from '@contract/event';

/** Newest first by `seq`, without duplicates. */
type Rows = readonly EventSummary[];

/** The index of the first row that is not newer than `seq`, or the length of the list. */
function indexOf(rows: Rows, seq: number): number {
  let from = 0;
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (rows[middle]!.seq > seq) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** What may change. */
const stateOf = ({ status, targets, duplicates, erased_at: erasedAt }: EventSummary) =>
  `${status} ${JSON.stringify(targets)} ${duplicates} ${erasedAt}`;

/** Updates rows in place; returns the same array if nothing changed. */
export function updateEvents(rows: EventSummary[], updates: Rows): EventSummary[] {
  let updated = rows;
  for (const update of updates) {
    const at = indexOf(rows, update.seq);
    const row = rows[at];
    if (row?.seq !== update.seq) continue;
    if (row.id === update.id && stateOf(row) === stateOf(update)) continue;
    if (updated === rows) updated = [...rows];
    updated[at] = update;
  }
  return updated;
}
