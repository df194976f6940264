import type { Random } from './random';

/**
 * Ids are a prefix and 26 characters of Crockford's base 32: 128 bits, sortable. Ids of events and deliveries are not
 * stored but computed from the row's key, so a lookup is a read by key and needs no index. The instance's id (40
 * bits, drawn when the database is created or restored) distinguishes those of two databases.
 */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));

function encode(value: number, length: number): string {
  let text = '';
  for (let rest = value, i = 0; i < length; i += 1) {
    text = DIGITS.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function decode(text: string): number {
  let value = 0;
  for (const digit of text) value = value * 32 + (VALUES.get(digit) ?? Number.NaN);
  return value;
}

/** A former id of an instance, in the ids of events up to `through_seq`. */
export interface FormerInstanceId {
  tag: number;
  through_seq: number;
}

/**
 * The id of an instance. A restore from a backup draws a new one, since the original may have used the same `seq`s;
 * what was stored before keeps its ids, by which receivers recognize duplicates.
 */
export class InstanceId {
  /** @param former oldest first */
  constructor(
    private readonly tag: number,
    private readonly former: readonly FormerInstanceId[] = [],
  ) {}

  /** The number in the ids of what is stored from now on. */
  get current(): number {
    return this.tag;
  }

  /** The number in the ids of an event and of what belongs to it. */
  of(seq: number): number {
    return this.former.find(({ through_seq: through }) => seq <= through)?.tag ?? this.tag;
  }
}

/** `receivedAt`: ms since 1970 (48 bits); `seq`: 40 bits. */
export function eventId(receivedAt: number, seq: number, instance: InstanceId): string {
  return `evt_${encode(receivedAt, 10)}${encode(seq, 8)}${encode(instance.of(seq), 8)}`;
}

/** The `seq` in an event's id, or null if it is not an event id of this instance. */
export function seqOfEventId(id: string, instance: InstanceId): number | null {
  if (!/^evt_[0-9a-z]{26}$/.test(id)) return null;
  const seq = decode(id.slice(14, 22));
  return isOf(instance, id, { seq }) ? seq : null;
}

/** What the id of an event says of it, also of one that was removed, or is of another hub; 0 if no event can have it. */
export const originOf = (id: string): { receivedAt: number; seq: number } => ({
  receivedAt: decode(id.slice(4, 14)) % 2 ** 48 || 0,
  seq: decode(id.slice(14, 22)) || 0,
});

/** The times in the ids of events are less. */
const NO_TIME = 2 ** 49;

/**
 * A place in the order of events, in the form of an event's id; no event needs to have it.
 * @param accepted how many removed events behind it its reader knows about (40 bits)
 */
export function positionId(seq: number, accepted: number, instance: InstanceId): string {
  return eventId(accepted === 0 ? 0 : NO_TIME + accepted, seq, instance);
}

/** The removed events in the id of a position; 0 in that of an event. */
export const acceptedOf = (id: string): number => Math.max(0, decode(id.slice(4, 14)) - NO_TIME);

export interface DeliveryKey {
  seq: number;
  /** The target's row key. */
  target: number;
  /** Numbers the deliveries of an event to a target: 0 is the live one, later ones are replays and retries. */
  n: number;
}

/** Equal for the same delivery. */
export const deliveryKeyText = ({ seq, target, n }: DeliveryKey) => `${seq}.${target}.${n}`;

export function deliveryId({ seq, target, n }: DeliveryKey, instance: InstanceId): string {
  return `dlv_${encode(seq, 8)}${encode(target, 5)}${encode(n, 5)}${encode(instance.of(seq), 8)}`;
}

/** The key in a delivery's id, or null if it is not a delivery id of this instance. */
export function keyOfDeliveryId(id: string, instance: InstanceId): DeliveryKey | null {
  if (!/^dlv_[0-9a-z]{26}$/.test(id)) return null;
  const key = { seq: decode(id.slice(4, 12)), target: decode(id.slice(12, 17)), n: decode(id.slice(17, 22)) };
  return isOf(instance, id, key) ? key : null;
}

/** The `n`th duplicate of an event. */
export interface DuplicateKey {
  seq: number;
  n: number;
}

export function duplicateId({ seq, n }: DuplicateKey, instance: InstanceId): string {
  return `dup_${encode(seq, 8)}${encode(n, 10)}${encode(instance.of(seq), 8)}`;
}

/** The key in a duplicate's id, or null if it is not a duplicate id of this instance. */
export function keyOfDuplicateId(id: string, instance: InstanceId): DuplicateKey | null {
  if (!/^dup_[0-9a-z]{26}$/.test(id)) return null;
  const key = { seq: decode(id.slice(4, 12)), n: decode(id.slice(12, 22)) };
  return isOf(instance, id, key) ? key : null;
}

function isOf(instance: InstanceId, id: string, key: { seq: number }): boolean {
  return !Object.values(key).some(Number.isNaN) && decode(id.slice(22)) === instance.of(key.seq);
}

/** An id that is stored: the creation time, then 80 random bits. */
export function newId(
  prefix:
    | 'ers'
    | 'tgt'
    | 'rpl'
    | 'rpr'
    | 'rej'
    | 'out'
    | 'job'
    | 'tok'
    | 'ses'
    | 'alr'
    | 'bak'
    | 'dmn'
    | 'lse'
    | 'viw',
  now: number,
  random: Pick<Random, 'bytes'>,
): string {
  const bytes = random.bytes(10);
  return `${prefix}_${encode(now, 10)}${encode(bytes.readUIntBE(0, 5), 8)}${encode(bytes.readUIntBE(5, 5), 8)}`;
}

/** The replay that created a delivery; null if that was something else, such as a job that retries dead letters. */
export const replayOf = ({ replayId }: { replayId: string | null }): string | null =>
  replayId?.startsWith('rpl_') === true ? replayId : null;

/** The trace id (W3C Trace Context) is the 128 bits of the event's id, so all its attempts share one trace. */
export function traceId(receivedAt: number, seq: number, instance: InstanceId): string {
  return hex(receivedAt, 12) + hex(seq, 10) + hex(instance.of(seq), 10);
}

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
