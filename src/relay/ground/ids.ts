import type { Random } from './random';

/**
 * Ids are 26 characters of Crockford's base 32 behind a prefix: 128 bits, sortable. An event's and a delivery's are not
 * stored: they are computed from the row's key, so that looking one up is a read by key and no index is kept for it.
 * `hub` (40 bits, drawn when the database is made) keeps the ids of two databases apart.
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

/** `receivedAt`: ms since 1970 (48 bits); `seq`: 40 bits. */
export function eventId(receivedAt: number, seq: number, hub: number): string {
  return `evt_${encode(receivedAt, 10)}${encode(seq, 8)}${encode(hub, 8)}`;
}

/** The `seq` in an event's id, or null where it is no event id of this hub. */
export function seqOfEventId(id: string, hub: number): number | null {
  if (!/^evt_[0-9a-z]{26}$/.test(id) || decode(id.slice(22)) !== hub) return null;
  const seq = decode(id.slice(14, 22));
  return Number.isNaN(seq) ? null : seq;
}

export interface DeliveryKey {
  seq: number;
  /** The target's number: its key in the database. */
  target: number;
  /** 0 is the live delivery; higher ones are replays and manual ones. */
  n: number;
}

export function deliveryId({ seq, target, n }: DeliveryKey, hub: number): string {
  return `dlv_${encode(seq, 8)}${encode(target, 5)}${encode(n, 5)}${encode(hub, 8)}`;
}

/** The key in a delivery's id, or null where it is no delivery id of this hub. */
export function keyOfDeliveryId(id: string, hub: number): DeliveryKey | null {
  if (!/^dlv_[0-9a-z]{26}$/.test(id) || decode(id.slice(22)) !== hub) return null;
  const key = { seq: decode(id.slice(4, 12)), target: decode(id.slice(12, 17)), n: decode(id.slice(17, 22)) };
  return Object.values(key).some(Number.isNaN) ? null : key;
}

/** A repeat of an event: the `n`th one. */
export interface DuplicateKey {
  seq: number;
  n: number;
}

export function duplicateId({ seq, n }: DuplicateKey, hub: number): string {
  return `dup_${encode(seq, 8)}${encode(n, 10)}${encode(hub, 8)}`;
}

/** The key in a duplicate's id, or null where it is no duplicate id of this hub. */
export function keyOfDuplicateId(id: string, hub: number): DuplicateKey | null {
  if (!/^dup_[0-9a-z]{26}$/.test(id) || decode(id.slice(22)) !== hub) return null;
  const key = { seq: decode(id.slice(4, 12)), n: decode(id.slice(12, 22)) };
  return Object.values(key).some(Number.isNaN) ? null : key;
}

/** An id that is stored: the time it was made, then 80 random bits. */
export function newId(
  prefix: 'tgt' | 'rpl' | 'rej' | 'out' | 'job' | 'tok' | 'ses' | 'alr',
  now: number,
  random: Random,
): string {
  const bytes = random.bytes(10);
  return `${prefix}_${encode(now, 10)}${encode(bytes.readUIntBE(0, 5), 8)}${encode(bytes.readUIntBE(5, 5), 8)}`;
}

/** An event's trace id (W3C Trace Context) is the event's own 128 bits, so every attempt of it is one trace. */
export function traceId(receivedAt: number, seq: number, hub: number): string {
  return hex(receivedAt, 12) + hex(seq, 10) + hex(hub, 10);
}

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
