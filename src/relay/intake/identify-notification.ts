import { hashForIdentity, UNDATED_MINUTE, type Identity } from '../database/journal/identity';
import { endOfString } from '../http/measure-json';
import { isWebhookId } from '../subscription/webhook-id';

const QUOTE = 0x22;
const COLON = 0x3a;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

const KEY = Buffer.from('"webhook_id"');

/**
 * The identity of a notification: a hash of its raw bytes without the value of `webhook_id`, since two webhooks send
 * the same event during a rotation. The JSON is not re-serialized, because that would make different large integers
 * equal.
 * @param occurredAt the notification's timestamp in ms, or null
 */
export function identifyNotification(body: Buffer, occurredAt: number | null): Identity {
  const idRange = locateWebhookId(body);
  const bytesWithoutId =
    idRange === null ? body : Buffer.concat([body.subarray(0, idRange[0]), body.subarray(idRange[1])]);
  const minute =
    occurredAt === null ? UNDATED_MINUTE : Math.max(UNDATED_MINUTE, Math.floor(occurredAt / 60_000));
  return { minute, hash: hashForIdentity(bytesWithoutId) };
}

/** The range of the `webhook_id` value in the outermost object, without its quotes; null if there is none. */
function locateWebhookId(body: Buffer): [start: number, end: number] | null {
  let depth = 0;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i]!;
    if (byte === QUOTE) {
      const end = endOfString(body, i);
      if (depth === 1 && isKey(body, i, end)) {
        const colon = skipSpace(body, end + 1);
        const value = skipSpace(body, colon + 1);
        if (body[colon] === COLON && body[value] === QUOTE) return locateIdValue(body, value);
      }
      i = end;
    } else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
  }
  return null;
}

/** Only a valid webhook id is excluded: any other value may be all that distinguishes two notifications. */
function locateIdValue(body: Buffer, quote: number): [start: number, end: number] | null {
  const end = endOfString(body, quote);
  return isWebhookId(body.toString('latin1', quote + 1, end)) && body[end] === QUOTE
    ? [quote + 1, end]
    : null;
}

function isKey(body: Uint8Array, start: number, end: number): boolean {
  if (end - start + 1 !== KEY.length) return false;
  return KEY.every((byte, i) => body[start + i] === byte);
}

function skipSpace(body: Uint8Array, from: number): number {
  let i = from;
  while (SPACE.has(body[i]!)) i += 1;
  return i;
}
