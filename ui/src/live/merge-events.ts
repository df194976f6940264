import type { EventSummary } from '../../../src/contract/event';

/** Puts events into a list that is ordered newest first, each id once; what comes later describes it better. */
export function mergeEvents(rows: readonly EventSummary[], more: readonly EventSummary[]): EventSummary[] {
  if (more.length === 0) return [...rows];
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const event of more) byId.set(event.id, event);
  return [...byId.values()].sort((one, other) => other.seq - one.seq);
}

/** Brings known rows up to date without adding or moving any; the same array, if nothing changed. */
export function updateEvents(rows: EventSummary[], news: readonly EventSummary[]): EventSummary[] {
  const byId = new Map(news.map((event) => [event.id, event]));
  let touched = false;
  const updated = rows.map((row) => {
    const fresh = byId.get(row.id);
    if (fresh === undefined || (fresh.status === row.status && fresh.duplicates === row.duplicates))
      return row;
    touched = true;
    return fresh;
  });
  return touched ? updated : rows;
}
