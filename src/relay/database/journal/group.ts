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

/**
 * The kinds of work, in the order in which a transaction does them: changes follow events and results, so that what a
 * target was still given in the group in which it is deleted is cancelled with the rest.
 */
export const WORK_KINDS = ['append', 'settle', 'change', 'prune', 'shrink'] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** What crosses to the thread that writes for each kind of work, and what comes back. */
export interface WorkTypes {
  append: { input: AppendRow; outcome: AppendResult };
  settle: { input: SettleRow; outcome: SettleOutcome };
  change: { input: Change; outcome: ChangeDone };
  prune: { input: PruneStep; outcome: Pruned };
  /** Up to so many free pages of the file are given back to the disk. */
  shrink: { input: number; outcome: DatabaseSize };
}

/** What goes into one transaction. */
export interface Group {
  /** What comes due at once in it is due from now on. On the scale of `TimeBounds.latest`. */
  dueAt: number;
  work: { [Kind in WorkKind]: WorkTypes[Kind]['input'][] };
}

export interface GroupOutcome {
  /** For each piece of work, in its order, the outcome or SQLite's error code. */
  results: { [Kind in WorkKind]: (WorkTypes[Kind]['outcome'] | string)[] };
  /** What came forward in its lane. */
  promoted: Promoted[];
  /** SQLite's code where nothing of the group could be written. */
  refused: string | null;
  /** See {@link Committed.deadLetters}. */
  deadLetters: Committed['deadLetters'];
}

export interface Change {
  statements: Statement[];
  schedule: ScheduleDraft[];
  conclude: ConcludeDraft[];
}

/** An event with the deliveries that were planned for it when its group was formed. */
export interface PlannedEvent {
  draft: EventDraft;
  planned: PlannedDelivery[];
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
 * An event on its way to the writer. A tuple, since a message repeats the property names of every object in it, which cost
 * more than the rest of the transfer.
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
 * take duplicates.
 */
export type AppendResult = [seq: number, receivedAt: number, duplicate: boolean, repeats?: RepeatDelivery[]];

export interface RepeatDelivery {
  key: DeliveryKey;
  lane: string | null;
}

/** An attempt's result on its way to the writer; a tuple for the same reason. */
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

/** Whether it took effect: false if its delivery was concluded in the meantime. */
type SettleOutcome = boolean;

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
 * The rows of a group's events, and one buffer that holds all their bytes. Posting a view to a thread copies the whole
 * buffer beneath it, which for a received body is the socket's 64 KiB; so the bytes are copied into one transferable buffer.
 */
export function packAppends(appends: PlannedEvent[]): {
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

/** Fails every piece of work with the same code. */
export function failAll({ work }: Group, code: string): GroupOutcome {
  const all = (inputs: unknown[]) => inputs.map(() => code);
  return {
    results: {
      append: all(work.append),
      settle: all(work.settle),
      change: all(work.change),
      prune: all(work.prune),
      shrink: all(work.shrink),
    },
    promoted: [],
    refused: code,
    deadLetters: [],
  };
}
