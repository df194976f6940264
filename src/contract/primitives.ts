import { z } from 'zod';

/** An ISO 8601 time in UTC with milliseconds. */
export const instant = z.iso.datetime();

/** A time given by the caller, with any UTC offset; parsed to milliseconds since 1970. */
export const instantQuery = z.iso.datetime({ offset: true }).transform((text) => new Date(text).getTime());

/** An id: a prefix that names the kind of resource, and 26 characters that sort by time of creation. */
const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`));
export const eventId = id('evt');
export const targetId = id('tgt');
export const deliveryId = id('dlv');
export const replayId = id('rpl');
export const rejectionId = id('rej');
export const outageId = id('out');
export const alertId = id('alr');
export const jobId = id('job');
export const duplicateId = id('dup');
export const backupId = id('bak');
export const daemonId = id('dmn');
export const savedViewId = id('viw');

/** A place in the order of events: what follows it comes after this event. `oldest`: from the first one stored. */
export const eventPosition = z
  .string()
  .regex(/^(oldest|newest|\d{1,12}|evt_[0-9a-z]{26})$/, 'an event id, a seq, `oldest` or `newest`');

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
