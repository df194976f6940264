import { z, type ZodType } from 'zod';
import { READINGS, type Reading, type Readings } from './readings';

/** Headers that a notification has anyway, or that no sender may choose. */
const TAKEN_HEADERS =
  /^(content-.*|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/** Changes of some readings, as a request sends them; readings there are not are refused by name. */
export const readingChanges: ZodType<Partial<Readings>> = strictChanges(
  Object.fromEntries(
    Object.entries<Reading>(READINGS).map(([name, reading]) => [name, valueOf(reading).optional()]),
  ),
);

/** An object of the switches in `shape`, any of which may be left out. */
export function strictChanges<T>(shape: Record<string, ZodType>): ZodType<T> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `There is no ${issue.keys.join(', no ')}. There are: ${Object.keys(shape).join(', ')}.`
        : 'Send an object of names and values.',
  }) as unknown as ZodType<T>;
}

function valueOf(reading: Reading): ZodType {
  if ('values' in reading) {
    const values = Object.keys(reading.values);
    return z.enum(values, `Send one of ${values.join(', ')}.`);
  }
  if ('least' in reading) {
    const message = `Send a whole number from ${reading.least} to ${reading.most}.`;
    return z.int(message).min(reading.least, message).max(reading.most, message);
  }
  const message = 'Send the name of a header that a notification has not anyway.';
  return z
    .string(message)
    .regex(/^[a-z0-9-]{1,64}$/i, message)
    .refine((name) => !TAKEN_HEADERS.test(name), message);
}
