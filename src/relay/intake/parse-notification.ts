import { UNREADABLE_TYPE } from '../../contract/constants';
import { isUtf8 } from 'node:buffer';
import { MAX_ID_LENGTH } from '../ground/entity-id';
import { entityOf } from '../ground/entity-of';
import { recordName } from '../ground/record-name';
import { isJsonObject, parseBody } from '../ground/parse-body';
import { readTime } from '../ground/read-time';
import { versionOf } from '../ground/record-version';
import { measureJson } from '../http/measure-json';
import { isWebhookId } from '../subscription/webhook-id';

/** The first bytes of a body in another coding than UTF-8; null is any byte but 0. The longest come first. */
const BEGINNINGS: [coding: string, bytes: (number | null)[]][] = [
  ['UTF-32LE', [0xff, 0xfe, 0, 0]],
  ['UTF-32BE', [0, 0, 0xfe, 0xff]],
  ['UTF-32LE', [null, 0, 0, 0]],
  ['UTF-32BE', [0, 0, 0, null]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
  ['UTF-16LE', [null, 0]],
  ['UTF-16BE', [0, null]],
  ['gzip', [0x1f, 0x8b]],
];

/**
 * The coding of a body that is not JSON in UTF-8 (RFC 8259, 8.1): what its first bytes or its headers tell. Null if
 * they tell nothing.
 * @param headers with lowercase names
 */
function describeCoding(
  body: Uint8Array,
  headers: readonly (readonly [name: string, value: string])[],
): string | null {
  const valueOf = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? '';
  const begins = (bytes: (number | null)[]) =>
    bytes.length <= body.length &&
    bytes.every((byte, i) => (byte === null ? body[i] !== 0 : body[i] === byte));
  const [charset] = /(?<=;\s*charset\s*=\s*"?)[\w.:-]+/i.exec(valueOf('content-type')) ?? [];
  const [encoding] = /^\s*[\w-]+/.exec(valueOf('content-encoding').replace(/^\s*identity\s*$/i, '')) ?? [];
  const declared = encoding?.trim() ?? (/^utf-?8$/i.test(charset ?? 'utf-8') ? undefined : charset);
  return declared ?? BEGINNINGS.find(([, bytes]) => begins(bytes))?.[0] ?? null;
}

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
  /** Of the record. */
  version: number | null;
  /** The parsed body; undefined if its type could not be parsed. */
  content: unknown;
}

/** Larger bodies are measured before they are parsed: within these limits parsing takes 20 ms, not up to a second. */
const MEASURE_FROM_BYTES = 64 * 1024;
const MAX_DEPTH = 100;
const MAX_VALUES = 100_000;

/** Far longer than any documented type: types are repeated in lists, indexes and headers of deliveries. */
const MAX_TYPE_LENGTH = 200;

/**
 * Parses the documented fields (6.2) of a signed body. It never fails: a signed notification was sent by Co-Pilot and
 * is stored whatever it contains, including undocumented types. A missing field does not affect the others.
 * @param headers with lowercase names
 */
export function parseNotification(
  body: Buffer,
  headers: readonly (readonly [name: string, value: string])[] = [],
): ParsedNotification {
  const notIn = (coding: string) => {
    const found = describeCoding(body, headers);
    return unreadable(
      `The body is not ${coding}${found === null ? '' : `; its coding is ${found}, which is not read`}.`,
    );
  };
  if (!isUtf8(body)) return notIn('UTF-8');
  if (body.byteLength > MEASURE_FROM_BYTES) {
    const { depth, values } = measureJson(body);
    if (depth > MAX_DEPTH) return unreadable(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    if (values > MAX_VALUES) return unreadable(`The body contains more than ${MAX_VALUES} values and names.`);
  }
  let json: unknown;
  try {
    json = parseBody(body);
  } catch {
    return notIn('JSON');
  }
  if (!isJsonObject(json)) return unreadable('The body is not a JSON object.');
  const { event, timestamp, webhook_id: webhookId, data } = json;
  if (typeof event !== 'string' || event === '') return unreadable('The field event is missing.');
  if (event.length > MAX_TYPE_LENGTH)
    return unreadable(`The field event has more than ${MAX_TYPE_LENGTH} characters.`);

  const entity = isJsonObject(data) ? entityOf(event, data) : null;
  return {
    type: event,
    occurredAt: typeof timestamp === 'string' ? readTime(timestamp) : null,
    // Any other value could not be used as an id, and could be of any length.
    webhookId: isWebhookId(webhookId) ? webhookId : null,
    entity,
    name: recordName(data),
    unreadable: describeMissingField(json) ?? (entity === null ? describeUnusableId(data) : null),
    version: versionOf(json),
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
  return isJsonObject(data) ? null : 'The field data is missing.';
}

/** Without an entity an event belongs to no history and no lane. Events about nothing have no id at all. */
function describeUnusableId(data: unknown): string | null {
  const id = isJsonObject(data) ? (data['id'] ?? null) : null;
  return id === null
    ? null
    : `The field data.id is neither an integer nor a text of 1 to ${MAX_ID_LENGTH} characters, so the event has no entity and no place in an order by entity.`;
}

function unreadable(reason: string): ParsedNotification {
  return {
    type: UNREADABLE_TYPE,
    occurredAt: null,
    webhookId: null,
    entity: null,
    name: null,
    unreadable: reason,
    version: null,
    content: undefined,
  };
}
