import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../contract/constants';
import { NOT_ERASED } from '../database/erasure-rules';
import { repairOf, type SignatureParts } from '../database/journal/repair-of';
import type { ScheduleDraft } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { inJsonList } from '../database/reading/dialect';
import type { Reader } from '../database/reading/reader';
import { laneOf } from '../deliveries/queue/lane-of';
import { takeBytes, type Head } from '../events/search/match-bodies';
import { bodyConditions } from '../filters/body-conditions';
import type { Verdict } from '../filters/verdict';
import { parseBody } from '../ground/parse-body';
import { isSent, selectingTargets } from '../targets/accepting-targets';
import type { TargetRecord } from '../targets/target-record';

/** What one block evaluates at most: a larger event is a block by itself. */
const BLOCK = { events: 256, bytes: 1024 * 1024 };
/** What one transaction creates at most, unless a single event has more: notifications wait for it. */
const MAX_DELIVERIES = 500;

const HEADS = `SELECT seq, type, entity, received_at AS "receivedAt",
    signature_header AS "signatureHeader", signature_value AS "signatureValue", length(body) AS size,
    CASE WHEN ${NOT_ERASED} THEN 0 ELSE 1 END AS erased
  FROM events e WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${BLOCK.events}`;
const ROUTED =
  'SELECT number, routed_from AS after FROM targets WHERE routing IS NOT NULL AND deleted_at IS NULL';

/**
 * If another position is stored by now, a target was removed or an event was erased, it is NULL, which the table
 * rejects as a conflict.
 */
const MOVE = `INSERT INTO router(id, position) SELECT 1, CASE WHEN EXISTS (SELECT 1 FROM router)
    AND (SELECT count(*) FROM targets WHERE number ${inJsonList()} AND deleted_at IS NULL) = ?
    AND (SELECT count(*) FROM events e WHERE e.seq ${inJsonList()} AND ${NOT_ERASED}) = ? THEN ? END
  WHERE TRUE ON CONFLICT (id) DO UPDATE SET position = CASE WHEN router.position = ? THEN excluded.position END`;

interface RoutedEvent extends Head, SignatureParts {
  type: string;
  entity: string | null;
  receivedAt: number;
  /** An erased event is sent to nobody. */
  erased: 0 | 1;
}

/** The deliveries of the next events, and the position after these. */
export interface RoutedBlock {
  statements: Statement[];
  schedule: ScheduleDraft[];
  position: number;
}

/**
 * @param until the newest event to evaluate
 * @returns null if there is no event to evaluate, or a routed target is missing in `targets`, which follow the database
 */
export async function routeBlock(
  position: number,
  until: number,
  targets: readonly TargetRecord[],
  reader: Reader,
): Promise<RoutedBlock | null> {
  const events = takeBytes(BLOCK.bytes, await reader.all<RoutedEvent>([HEADS, [position, until]]));
  if (events.length === 0) return null;
  // After the events: it shows all targets that they were planned without.
  const rows = await reader.all<{ number: number; after: number }>([ROUTED, []]);
  const after = new Map(rows.map((row) => [row.number, row.after]));
  if (rows.some(({ number }) => targets.every((target) => target.number !== number))) return null;
  const selected = await selectTargets(events, targets, after, reader);
  const verdicts = await judge(events, selected, targets, reader);
  const schedule: ScheduleDraft[] = [];
  const counts: [seq: number, count: number][] = [];
  let through = position;
  for (const { seq, entity, receivedAt } of events) {
    const sent = (selected.get(seq) ?? []).filter((target) => isSent(verdicts(seq, target), target));
    if (schedule.length > 0 && schedule.length + sent.length > MAX_DELIVERIES) break;
    for (const { number, policy } of sent)
      schedule.push({
        seq,
        target: number,
        trigger: 'live',
        replayId: null,
        at: receivedAt,
        lane: laneOf(policy.ordering, entity),
        isFirst: true,
      });
    if (sent.length > 0) counts.push([seq, sent.length]);
    through = seq;
  }
  const used = [...new Set(schedule.map(({ target }) => target))];
  return {
    statements: [
      [MOVE, [...counted(used), ...counted(counts.map(([seq]) => seq)), through, position]],
      ...(counts.length === 0 ? [] : [countRouted(counts)]),
    ],
    schedule,
    position: through,
  };
}

const counted = (numbers: readonly number[]) => [JSON.stringify(numbers), numbers.length];

const countRouted = (counts: readonly [seq: number, count: number][]): Statement => [
  `INSERT INTO routed(event_seq, count) VALUES ${counts.map(() => '(?, ?)').join(', ')}`,
  counts.flat(),
];

/** By event, the targets that are sent it, if their filter accepts it. */
async function selectTargets(
  events: readonly RoutedEvent[],
  targets: readonly TargetRecord[],
  after: ReadonlyMap<number, number>,
  reader: Reader,
): Promise<Map<number, TargetRecord[]>> {
  const ownEvents = events
    .filter((event) => event.type.startsWith(SYSTEM_EVENT_PREFIX) || repairOf(event) !== null)
    .map(({ seq }) => seq);
  const bodies = new Map(
    (ownEvents.length === 0
      ? []
      : await reader.all<{ seq: number; body: Uint8Array }>([
          `SELECT seq, body FROM events WHERE seq ${inJsonList()}`,
          [JSON.stringify(ownEvents)],
        ])
    ).map(({ seq, body }) => [seq, body]),
  );
  return new Map(
    events.map((event) => [
      event.seq,
      selectingTargets(event, targets, () => parseBody(bodies.get(event.seq)!)).filter(
        ({ number, matches }) =>
          event.erased === 0 &&
          event.seq > (after.get(number) ?? Infinity) &&
          (matches === null || event.type !== UNREADABLE_TYPE),
      ),
    ]),
  );
}

/** What the filters of the targets say of the events. */
async function judge(
  events: readonly RoutedEvent[],
  selected: ReadonlyMap<number, readonly TargetRecord[]>,
  targets: readonly TargetRecord[],
  reader: Reader,
): Promise<(seq: number, target: TargetRecord) => Verdict> {
  const filtering = targets.filter(({ filter }) => filter !== null);
  const seqs = events
    .map(({ seq }) => seq)
    .filter((seq) => selected.get(seq)!.some(({ filter }) => filter !== null));
  const conditions = filtering.map(({ filter }) => bodyConditions({ payload: filter! })!);
  const found = seqs.length === 0 ? [] : await reader.matchBodies(seqs, conditions);
  const bySeq = new Map(found.map(({ key, verdicts }) => [key, verdicts]));
  return (seq, target) => {
    if (target.filter === null) return true;
    const verdicts = bySeq.get(seq);
    return verdicts === undefined ? false : verdicts[filtering.indexOf(target)]!;
  };
}
