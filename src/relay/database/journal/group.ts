import type { DeliveryKey } from '../../ground/ids';
import type {
  Committed,
  Concluded,
  ConcludeDraft,
  DeliveryResult,
  EventDraft,
  PlannedDelivery,
  Promoted,
  DatabaseSize,
  PruneOutcome,
  PruneStep,
  ScheduleDraft,
  Statement,
} from '../journal';

/** What goes into one transaction, as it crosses to the thread that writes. */
export interface Group {
  /** What comes due at once in it is due from now on. On the scale of `TimeBounds.latest`. */
  dueAt: number;
  appends: AppendRow[];
  settles: SettleRow[];
  changes: { statements: Statement[]; schedule: ScheduleDraft[]; conclude: ConcludeDraft[] }[];
  prune: PruneStep | null;
  /** So many free pages of the file are given back to the disk. */
  shrink: number | null;
}

/** One outcome for each part of a group, in its order. */
export interface GroupOutcome {
  appends: AppendResult[];
  settles: SettleOutcome[];
  changes: (ChangeDone | { failed: string })[];
  pruned: Pruned | { failed: string } | null;
  shrunk: DatabaseSize | { failed: string } | null;
  /** What came forward in its lane. */
  promoted: Promoted[];
  /** SQLite's code where nothing of the group could be written. */
  refused: string | null;
  /** See {@link Committed.deadLetters}. */
  deadLetters: Committed['deadLetters'];
}

export interface Pruned extends PruneOutcome {
  concluded: Committed['concluded'];
}

interface ChangeDone {
  rows: unknown[][];
  scheduled: DeliveryKey[];
  concluded: (Concluded | null)[];
}

/**
 * An event on its way to the writer. Tuples, since a message spells out the name of every property of every object in it:
 * that alone cost more than the rest of the crossing.
 */
export type AppendRow = [
  columns: EventColumns,
  minute: number,
  hash: Uint8Array,
  targets: number[],
  /** One for each target; null where none has a lane. */
  lanes: (string | null)[] | null,
  /** One for each target: whether it is sent a duplicate too; null where none is. */
  repeats: boolean[] | null,
];

/** The columns of `events` behind `seq`, in their order. */
type EventColumns = [
  receivedAt: number,
  occurredAt: number | null,
  type: string,
  entity: string | null,
  name: string | null,
  webhookId: string | null,
  unreadable: string | null,
  contentType: string | null,
  headers: string,
  signatureHeader: string,
  signatureValue: string,
  body: Uint8Array,
  planned: number,
];

/**
 * The event's seq and time of arrival, those of the first one where it is a duplicate, with the deliveries to targets that
 * take duplicates; or SQLite's error code.
 */
export type AppendResult =
  [seq: number, receivedAt: number, duplicate: boolean, repeats?: RepeatDelivery[]] | string;

export interface RepeatDelivery {
  key: DeliveryKey;
  lane: string | null;
}

/** An attempt's result on its way to the writer: a tuple for the same reason. */
export type SettleRow = [
  seq: number,
  target: number,
  n: number,
  lane: string | null,
  stopsLane: boolean,
  number: number,
  at: number,
  durationMs: number,
  status: number | null,
  error: string | null,
  excerpt: string | null,
  state: DeliveryResult['state'],
  dueAt: number | null,
  spared: number,
  note: string | null,
  ending: string | null,
];

/** Whether it took effect: not where its delivery was concluded meanwhile; or SQLite's error code. */
export type SettleOutcome = boolean | string;

export function settleRow(result: DeliveryResult): SettleRow {
  const { key, attempt } = result;
  return [
    key.seq,
    key.target,
    key.n,
    result.lane,
    result.stopsLane,
    attempt.number,
    attempt.at,
    attempt.durationMs,
    attempt.status,
    attempt.error,
    attempt.excerpt,
    result.state,
    result.dueAt,
    result.spared,
    result.note,
    result.ending ?? null,
  ];
}

/**
 * The rows of a group's events, and the buffer that holds all their bytes. A view crosses to a thread with the whole
 * buffer beneath it, which for a received body is the socket's own 64 KiB: so the bytes are copied into one buffer, which
 * then moves over.
 */
export function packAppends(appends: { draft: EventDraft; planned: PlannedDelivery[] }[]): {
  rows: AppendRow[];
  buffer: ArrayBuffer;
} {
  const size = appends.reduce((sum, { draft }) => sum + draft.body.length + draft.identity.hash.length, 0);
  const buffer = new ArrayBuffer(size);
  let used = 0;
  const pack = (bytes: Uint8Array): Uint8Array => {
    const view = new Uint8Array(buffer, used, bytes.length);
    view.set(bytes);
    used += bytes.length;
    return view;
  };
  const rows = appends.map(({ draft, planned }): AppendRow => [
    columnsOf(draft, pack(draft.body), planned.length),
    draft.identity.minute,
    pack(draft.identity.hash),
    planned.map(({ target }) => target),
    planned.some(({ lane }) => lane !== null) ? planned.map(({ lane }) => lane) : null,
    planned.some(({ takesRepeats }) => takesRepeats)
      ? planned.map(({ takesRepeats = false }) => takesRepeats)
      : null,
  ]);
  return { rows, buffer };
}

function columnsOf(draft: EventDraft, body: Uint8Array, planned: number): EventColumns {
  return [
    draft.receivedAt,
    draft.occurredAt,
    draft.type,
    draft.entity,
    draft.name,
    draft.webhookId,
    draft.unreadable,
    draft.contentType,
    JSON.stringify(draft.headers),
    draft.signatureHeader,
    draft.signatureValue,
    body,
    planned,
  ];
}

/** Every part of a group meets the same fault. */
export function refuseAll(group: Group, cause: string): GroupOutcome {
  return {
    appends: group.appends.map(() => cause),
    settles: group.settles.map(() => cause),
    changes: group.changes.map(() => ({ failed: cause })),
    pruned: group.prune === null ? null : { failed: cause },
    shrunk: group.shrink === null ? null : { failed: cause },
    promoted: [],
    refused: cause,
    deadLetters: [],
  };
}
