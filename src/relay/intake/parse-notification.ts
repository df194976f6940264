import { UNREADABLE_TYPE } from '../../contract/constants';
import { isUtf8 } from 'node:buffer';
import { measureJson } from '../http/measure-json';
import { isWebhookId } from '../subscription/webhook-id';

/** The parsed fields of a notification. Times are ms since 1970. */
export interface ParsedNotification {
  type: string;
  occurredAt: number | null;
  webhookId: string | null;
  /** The entity of the event, such as `deal:42`. */
  entity: string | null;
  /** The name of the entity, for display. */
  name: string | null;
  /** What could not be parsed; null if everything could. */
  unreadable: string | null;
  /** The parsed body; undefined if its type could not be parsed. */
  content: unknown;
}

const MAX_NAME_LENGTH = 200;

/**
 * Larger bodies are measured before they are parsed. Within these limits parsing takes about 20 ms; without
 * them, a body of 8 MiB could take a second.
 */
const MEASURE_FROM_BYTES = 64 * 1024;
const MAX_DEPTH = 100;
const MAX_VALUES = 100_000;

/** Far longer than any documented type: types are repeated in lists, indexes and headers of deliveries. */
const MAX_TYPE_LENGTH = 200;

/**
 * Parses the documented fields (6.2) of a signed body. It never fails: a signed notification was sent by
 * Co-Pilot and is stored whatever it contains, including undocumented types. A missing field does not
 * affect the others.
 */
export function parseNotification(body: Buffer): ParsedNotification {
  if (!isUtf8(body)) return unreadable('The body is not UTF-8.');
  if (body.byteLength > MEASURE_FROM_BYTES) {
    const { depth, values } = measureJson(body);
    if (depth > MAX_DEPTH) return unreadable(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    if (values > MAX_VALUES) return unreadable(`The body contains more than ${MAX_VALUES} values and names.`);
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
  if (event.length > MAX_TYPE_LENGTH)
    return unreadable(`The field event has more than ${MAX_TYPE_LENGTH} characters.`);

  const occurredAt = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return {
    type: event,
    occurredAt: Number.isNaN(occurredAt) ? null : occurredAt,
    // Any other value could not be used as an id, and could be of any length.
    webhookId: isWebhookId(webhookId) ? webhookId : null,
    entity: isObject(data) ? entityOf(event, data) : null,
    name: isObject(data) ? nameOf(data) : null,
    unreadable: describeMissingField(json),
    content: json,
  };
}

function describeMissingField({
  timestamp,
  webhook_id: webhookId,
  data,
}: Record<string, unknown>): string | null {
  if (typeof timestamp !== 'string') return 'The field timestamp is missing.';
  if (typeof webhookId !== 'string') return 'The field webhook_id is missing.';
  return isObject(data) ? null : 'The field data is missing.';
}

/**
 * The first segment of the type, and the id in `data`. There is no entity if the id is an integer beyond the
 * safe range, which may have been rounded.
 */
function entityOf(type: string, { id }: Record<string, unknown>): string | null {
  const exact = typeof id === 'string' ? id.length > 0 && id.length <= 100 : Number.isSafeInteger(id);
  return exact ? `${type.split('.', 1)[0]}:${id as string | number}` : null;
}

function nameOf(data: Record<string, unknown>): string | null {
  const name = data['name'] ?? data['title'];
  return typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME_LENGTH) : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(reason: string): ParsedNotification {
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
