import { z } from 'zod';
import { atMost } from './text-length';

export const instant = z.iso.datetime().describe('An ISO 8601 time in UTC with milliseconds.');

export const instantQuery = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).getTime())
  .describe('A time given by the caller, with any UTC offset; parsed to milliseconds since 1970.');

export const textOf = (longest: number, shortest = 0) =>
  z
    .string()
    .min(shortest)
    .refine(...atMost(longest))
    .meta({ maxLength: longest });

/** An id: a prefix that names the kind of resource, and 26 characters that sort by time of creation. */
const id = (prefix: string, of: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`))
    .describe(`The id of ${of}.`);
export const eventId = id('evt', 'the event');
export const targetId = id('tgt', 'the target');
export const deliveryId = id('dlv', 'the delivery');
export const erasureId = id('ers', 'the erasure');
export const replayId = id('rpl', 'the replay');
export const repairId = id('rpr', 'the repair');
export const rejectionId = id('rej', 'the rejection');
export const outageId = id('out', 'the outage');
export const alertId = id('alr', 'the alert');
export const jobId = id('job', 'the job');
export const duplicateId = id('dup', 'the duplicate');
export const backupId = id('bak', 'the backup');
export const daemonId = id('dmn', 'the daemon');
export const savedViewId = id('viw', 'the saved view');
export const tokenId = id('tok', 'the API token');

/** A place in the order of events: what follows it comes after this event. `oldest`: from the first one stored. */
export const eventPosition = z
  .string()
  .regex(/^(oldest|newest|\d{1,12}|evt_[0-9a-z]{26})$/, 'an event id, a seq, `oldest` or `newest`');

/** A whole number in a query, where it is text: of digits only, so that an empty value is not 0. */
export const numberQuery = (minimum: number, maximum = 999_999_999_999) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,12}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    )
    .meta({ type: 'integer', minimum, maximum })
    .transform(Number);

/** A query parameter that may be given once or several times. */
export const repeatable = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).optional(),
  );

/** An event type, or a pattern in which `*` matches any characters (`deal.*`, `*`). */
export const eventPattern = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9_.*-]+$/, 'letters, digits, dot, underscore, hyphen and *');

/** The kind of an entity is the first part of an event type (200), and its id at most 100. */
export const MAX_ENTITY_LENGTH = 301;
export const entityKey = textOf(MAX_ENTITY_LENGTH, 1).describe(
  'An entity as `<kind>:<id>`, such as `deal:42`.',
);
export const payloadText = textOf(200, 1).describe('Text in the payload, ignoring case.');
