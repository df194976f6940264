import { isUtf8 } from 'node:buffer';
import { UNREADABLE_TYPE } from '../../contract/event';
import { measureJson } from '../http/measure-json';
import { isWebhookId } from '../subscription/webhook-id';

/** What is read out of a notification. Times are ms since 1970. */
export interface Parsed {
  type: string;
  occurredAt: number | null;
  webhookId: string | null;
  /** What the event is about, such as `deal:42`. */
  entity: string | null;
  /** What people call it. */
  name: string | null;
  /** What of it could not be read; null where all could. */
  unreadable: string | null;
  /** All of it, parsed; undefined where its type could not be read. */
  content: unknown;
}

const NAME_LENGTH = 200;

/** Parsing a body of these bounds takes some 20 ms; beyond them one of 8 MiB takes a second. */
const MEASURED_BYTES = 64 * 1024;
const MOST_LEVELS = 100;
const MOST_VALUES = 100_000;

/** Longer than any that the document lists by far. Types stand in lists, indexes and headers of deliveries. */
const TYPE_LENGTH = 200;

/**
 * Reads the fields of the document (6.2) out of signed bytes. It never fails: what is signed was sent by Co-Pilot and is
 * kept, whatever it is, and a type that the document does not list is a type all the same. What else is missing takes
 * nothing from what is there.
 */
export function parseNotification(body: Buffer): Parsed {
  if (!isUtf8(body)) return unreadable('The body is not UTF-8.');
  if (body.byteLength > MEASURED_BYTES) {
    const { depth, values } = measureJson(body);
    if (depth > MOST_LEVELS) return unreadable(`The body is nested deeper than ${MOST_LEVELS} levels.`);
    if (values > MOST_VALUES) return unreadable(`The body holds more than ${MOST_VALUES} values and names.`);
  }
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    return unreadable('The body is not JSON.');
  }
  if (!isObject(json)) return unreadable('The body is not a JSON object.');
  const { event, timestamp, webhook_id: webhookId, data } = json;
  if (typeof event !== 'string' || event === '') return unreadable('The field event is missing.');
  if (event.length > TYPE_LENGTH)
    return unreadable(`The field event has more than ${TYPE_LENGTH} characters.`);

  const occurredAt = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return {
    type: event,
    occurredAt: Number.isNaN(occurredAt) ? null : occurredAt,
    // Of any other form it is no id that anything could be done with, and as long as its sender likes.
    webhookId: isWebhookId(webhookId) ? webhookId : null,
    entity: isObject(data) ? entityOf(event, data) : null,
    name: isObject(data) ? nameOf(data) : null,
    unreadable: missingIn(json),
    content: json,
  };
}

function missingIn({ timestamp, webhook_id: webhookId, data }: Record<string, unknown>): string | null {
  if (typeof timestamp !== 'string') return 'The field timestamp is missing.';
  if (typeof webhookId !== 'string') return 'The field webhook_id is missing.';
  return isObject(data) ? null : 'The field data is missing.';
}

/** The first word of the type and the id in `data`. An integer too large to be exact could name another one: no entity. */
function entityOf(type: string, { id }: Record<string, unknown>): string | null {
  const exact = typeof id === 'string' ? id.length > 0 && id.length <= 100 : Number.isSafeInteger(id);
  return exact ? `${type.split('.', 1)[0]}:${id as string | number}` : null;
}

function nameOf(data: Record<string, unknown>): string | null {
  const name = data['name'] ?? data['title'];
  return typeof name === 'string' && name !== '' ? name.slice(0, NAME_LENGTH) : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(reason: string): Parsed {
  return {
    type: UNREADABLE_TYPE,
    occurredAt: null,
    webhookId: null,
    entity: null,
    name: null,
    unreadable: reason,
    content: undefined,
  };
}
