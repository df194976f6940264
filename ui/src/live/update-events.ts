import type { EventSummary } from '../../../src/contract/event';

/** Newest first, each event once; an event's `seq` is its place. */
type Rows = readonly EventSummary[];

/** Where the first row stands that is not newer than `seq`; the length of the list, if all are. */
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

/** Brings rows up to date without adding or moving any; the same array, if nothing changed. */
export function updateEvents(rows: EventSummary[], updates: Rows): EventSummary[] {
  let updated = rows;
  for (const update of updates) {
    const at = indexOf(rows, update.seq);
    const row = rows[at];
    if (row?.seq !== update.seq) continue;
    if (row.id === update.id && row.status === update.status && row.duplicates === update.duplicates)
      continue;
    if (updated === rows) updated = [...rows];
    updated[at] = update;
  }
  return updated;
}
