import type { Identity } from './identity';
import type { DeliveryResult, EventDraft, PlannedDelivery } from './journal';

/**
 * Events and results on their way to the engine's writer. They are tuples because a message repeats the property
 * names of every object in it, which cost more than the rest of the transfer. Other files do not know their layout.
 */

/** An event with the deliveries that were planned for it when its group was formed. */
export interface PlannedEvent {
  draft: EventDraft;
  planned: PlannedDelivery[];
}

/** The columns of `events` after `seq`, in the order of {@link EventValues}. */
export const EVENT_COLUMNS = [
  'received_at',
  'occurred_at',
  'type',
  'entity',
  'name',
  'webhook_id',
  'unreadable',
  'content_type',
  'headers',
  'signature_header',
  'signature_value',
  'body',
  'planned',
];

type EventValues = [
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
  /** How many deliveries were planned. */
  planned: number,
];

export type PackedEvent = [
  values: EventValues,
  minute: number,
  hash: string,
  targets: number[],
  /** One for each target; null where no target has a lane. */
  lanes: (string | null)[] | null,
  /** One for each target: whether it receives duplicates too; null where no target does. */
  takesDuplicates: boolean[] | null,
  version: number | null,
];

export const targetsOf = (packed: PackedEvent): number[] => packed[3];

/** What the writer needs of an event. */
export interface UnpackedEvent {
  values: EventValues;
  receivedAt: number;
  version: number | null;
  identity: Identity;
  planned: PlannedDelivery[];
}

/**
 * Packs events, with all their bytes in one buffer to transfer. Posting a view to a thread copies the whole buffer
 * beneath it, which for a received body is the socket's 64 KiB.
 */
export function packEvents(events: readonly PlannedEvent[]): { rows: PackedEvent[]; buffer: ArrayBuffer } {
  const size = events.reduce((sum, { draft }) => sum + draft.body.length, 0);
  const buffer = new ArrayBuffer(size);
  let used = 0;
  const copy = (bytes: Uint8Array): Uint8Array => {
    const view = new Uint8Array(buffer, used, bytes.length);
    view.set(bytes);
    used += bytes.length;
    return view;
  };
  const rows = events.map(({ draft, planned }): PackedEvent => [
    eventValues(draft, copy(draft.body), planned.length),
    draft.identity.minute,
    draft.identity.hash,
    planned.map(({ target }) => target),
    planned.some(({ lane }) => lane !== null) ? planned.map(({ lane }) => lane) : null,
    planned.some(({ takesDuplicates }) => takesDuplicates)
      ? planned.map(({ takesDuplicates = false }) => takesDuplicates)
      : null,
    draft.version,
  ]);
  return { rows, buffer };
}

export function unpackEvent(packed: PackedEvent): UnpackedEvent {
  const [values, minute, hash] = packed;
  const lanes = packed[4];
  const takesDuplicates = packed[5];
  return {
    values,
    receivedAt: values[0],
    version: packed[6],
    identity: { minute, hash },
    planned: packed[3].map((target, i) => ({
      target,
      lane: lanes === null ? null : lanes[i]!,
      takesDuplicates: takesDuplicates !== null && takesDuplicates[i]!,
    })),
  };
}

const eventValues = (draft: EventDraft, body: Uint8Array, planned: number): EventValues => [
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

export type PackedResult = [
  seq: number,
  target: number,
  /** Of the delivery, among those of its event and target. */
  n: number,
  lane: string | null,
  blocksLane: boolean,
  /** Of the attempt, from 1. */
  number: number,
  at: number,
  durationMs: number,
  status: number | null,
  error: DeliveryResult['attempt']['error'],
  excerpt: string | null,
  state: DeliveryResult['state'],
  dueAt: number | null,
  uncounted: number,
  note: string | null,
  ending: DeliveryResult['ending'],
  replayId: string | null,
  ownerEpoch: number | undefined,
  transform: number | null,
  previous: number | null,
];

export function packResult(result: DeliveryResult): PackedResult {
  const { key, attempt } = result;
  return [
    key.seq,
    key.target,
    key.n,
    result.lane,
    result.blocksLane,
    attempt.number,
    attempt.at,
    attempt.durationMs,
    attempt.status,
    attempt.error,
    attempt.excerpt,
    result.state,
    result.dueAt,
    result.uncounted,
    result.note,
    result.ending,
    result.replayId,
    result.ownerEpoch,
    attempt.transform,
    attempt.previous,
  ];
}

export function unpackResult(packed: PackedResult): DeliveryResult {
  return {
    key: { seq: packed[0], target: packed[1], n: packed[2] },
    lane: packed[3],
    blocksLane: packed[4],
    attempt: {
      number: packed[5],
      at: packed[6],
      durationMs: packed[7],
      status: packed[8],
      error: packed[9],
      excerpt: packed[10],
      transform: packed[18],
      previous: packed[19],
    },
    state: packed[11],
    dueAt: packed[12],
    uncounted: packed[13],
    note: packed[14],
    ending: packed[15],
    replayId: packed[16],
    ownerEpoch: packed[17],
  };
}
