import { z, type ZodType } from 'zod';
import { FAULTS, type FaultStates } from './faults';
import { READINGS, type Reading, type Readings } from './readings';

/** Headers that every notification has, or that a sender must not choose. */
const RESERVED_HEADERS =
  /^(content-.*|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

const FAULT_STATE_MESSAGE =
  'Send true, false, or the number of times the fault is to occur, from 1 to 1000000.';

const faultState = z.union([z.boolean(), z.int().min(1).max(1_000_000)], FAULT_STATE_MESSAGE);

/** New values for some readings. Unknown names are rejected. */
export const readingChanges: ZodType<Partial<Readings>> = changesOf(
  Object.entries<Reading>(READINGS).map(([name, reading]) => [name, readingValue(reading)]),
);

/** New states for some faults. Unknown names are rejected. */
export const faultChanges: ZodType<Partial<FaultStates>> = changesOf(
  Object.keys(FAULTS).map((name) => [name, faultState]),
);

function changesOf<T>(values: [name: string, value: ZodType][]): ZodType<T> {
  const names = values.map(([name]) => name).join(', ');
  return z.strictObject(Object.fromEntries(values.map(([name, value]) => [name, value.optional()])), {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `There is no ${issue.keys.join(', no ')}. Send one of: ${names}.`
        : 'Send an object of names and values.',
  }) as unknown as ZodType<T>;
}

function readingValue(reading: Reading): ZodType {
  if ('values' in reading) {
    const values = Object.keys(reading.values);
    return z.enum(values, `Send one of ${values.join(', ')}.`);
  }
  if ('least' in reading) {
    const message = `Send a whole number from ${reading.least} to ${reading.most}.`;
    return z.int(message).min(reading.least, message).max(reading.most, message);
  }
  const message = 'Send a header name that notifications do not use already.';
  return z
    .string(message)
    .regex(/^[a-z0-9-]{1,64}$/i, message)
    .refine((name) => !RESERVED_HEADERS.test(name), message);
}
