import type { Repair, RepairAction, RepairCounts, RepairState } from '../../contract/repair';
import { EVENT_TYPES, READABLE_KINDS } from '../../protocol/event-types';
import { isoOrNull, toIso } from '../ground/iso-time';

/** How long a preview may be applied. */
export const FRESH_MS = 15 * 60_000;

/** How long it waits for notifications of what was read: longer than Co-Pilot retries one (document, 6.3). */
export const SETTLING_MS = 35_000;

/** States in which nothing else can be read or applied. */
export const BUSY: readonly RepairState[] = ['reading', 'settling', 'applying'];

/** Stored as JSON. */
export type RepairProgress = Pick<Repair, 'read' | 'counts' | 'targets' | 'applied' | 'problem'>;

/** A repair as stored. Times are ms since 1970. */
export interface RepairRow {
  number: number;
  id: string;
  purpose: Repair['purpose'];
  state: RepairState;
  outage_ids: string[];
  requests_per_minute: number;
  progress: RepairProgress;
  /** When the list of deals was read. */
  read_at: number | null;
  actions: RepairAction[] | null;
  target_ids: string[] | null;
  events_per_second: number | null;
  created_at: number;
  ended_at: number | null;
}

/** A deal that differs. */
export interface RepairItemRow {
  entity: string;
  action: RepairAction;
  version: number | null;
  outcome: string | null;
  event_seq: number | null;
  /** JSON: as it was read; of an absent deal, as it was known. */
  record: Uint8Array;
}

const JSON_COLUMNS = ['outage_ids', 'progress', 'actions', 'target_ids'] as const;

export function parseRepair(stored: Record<string, unknown>): RepairRow {
  const parsed = JSON_COLUMNS.map((name) => [name, JSON.parse((stored[name] as string | null) ?? 'null')]);
  return { ...stored, ...Object.fromEntries(parsed) } as RepairRow;
}

export const noCounts = (): RepairCounts => ({
  same: 0,
  changed: 0,
  missing: 0,
  absent: 0,
  arrived_meanwhile: 0,
  older: 0,
  unreadable: 0,
});

export const notStarted = (): RepairProgress => ({
  read: {
    pages: 0,
    records: 0,
    complete: false,
    incomplete_because: null,
    shape: null,
    low_seq: null,
    high_seq: null,
  },
  counts: noCounts(),
  targets: [],
  applied: null,
  problem: null,
});

const UNREADABLE_KINDS = [...new Set(EVENT_TYPES.map((type) => type.split('.')[0]!))].filter(
  (kind) => !READABLE_KINDS.includes(kind),
);

const NOT_REPAIRABLE: Repair['not_repairable'] = [
  ...UNREADABLE_KINDS.map((what) => ({
    what,
    sentence: `Co-Pilot's document names no way to read any ${what}.`,
  })),
  {
    what: 'intermediate states',
    sentence: 'Only the present state of a deal can be read: several changes become one.',
  },
];

export function presentRepair(row: RepairRow): Repair {
  const { id, purpose, state, outage_ids, requests_per_minute, progress, read_at: readAt } = row;
  return {
    id,
    purpose,
    state,
    outage_ids,
    requests_per_minute,
    ...progress,
    settles_at: isoOrNull(state === 'settling' && readAt !== null ? readAt + SETTLING_MS : null),
    apply_until: isoOrNull(state === 'previewed' && readAt !== null ? readAt + FRESH_MS : null),
    not_repairable: NOT_REPAIRABLE,
    created_at: toIso(row.created_at),
    ended_at: isoOrNull(row.ended_at),
  };
}
