import { z, type ZodType } from 'zod';
import { parseRequest } from '../parse-request';
import { type Quirk, QUIRKS } from './quirk-table';
import { FAULT_NAMES, type FaultStates, type QuirkValues } from './quirks';

/** Headers that every notification already has, or that control the connection. */
const RESERVED_HEADERS =
  /^(content-.*|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

const table: Record<string, Quirk> = QUIRKS;

/** New values for some quirks. Unknown names are rejected. */
export const quirkChanges = changesSchema<QuirkValues>(Object.keys(QUIRKS));

/** New states for some faults. Other quirks are rejected. */
export const faultChanges = changesSchema<FaultStates>(FAULT_NAMES);

/**
 * Parses command-line arguments. A quirk is set by `name=value`. A fault is turned on by `name` or `name=true`,
 * turned off by `name=false`, and occurs three times with `name=3`.
 * @throws Problem that lists all invalid quirks
 */
export function parseQuirks(texts: readonly string[]): Partial<QuirkValues> {
  const pairs = texts.map((text) => {
    const [, name = '', value = null] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    return [name, parseValue(table[name], value)] as const;
  });
  return parseRequest(quirkChanges, Object.fromEntries(pairs));
}

/** @param text null without `=` */
function parseValue(quirk: Quirk | undefined, text: string | null): unknown {
  if (quirk?.kind === 'fault')
    return text === null || text === 'true' || (text !== 'false' && parseNumber(text));
  return quirk?.kind === 'amount' ? parseNumber(text ?? '') : text;
}

/** NaN, which no quirk accepts, for anything but digits. */
const parseNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

function changesSchema<Values>(names: readonly string[]): ZodType<Partial<Values>> {
  const fields = names.map((name) => [name, valueSchema(table[name]!).optional()]);
  return z.strictObject(Object.fromEntries(fields), {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `There is no ${issue.keys.join(', no ')}. Send one of: ${names.join(', ')}.`
        : 'Send an object of names and values.',
  }) as unknown as ZodType<Partial<Values>>;
}

function valueSchema(quirk: Quirk): ZodType {
  if (quirk.kind === 'choice') {
    const values = Object.keys(quirk.values);
    return z.enum(values, `Send one of ${values.join(', ')}.`);
  }
  if (quirk.kind === 'amount') {
    const message = `Send a whole number from ${quirk.min} to ${quirk.max}.`;
    return z.int(message).min(quirk.min, message).max(quirk.max, message);
  }
  if (quirk.kind === 'fault') {
    const message = 'Send true, false, or the number of times the fault is to occur, from 1 to 1000000.';
    return z.union([z.boolean(), z.int(message).min(1, message).max(1_000_000, message)], message);
  }
  const message = 'Send a header name that notifications do not use already.';
  return z
    .string(message)
    .regex(/^[a-z0-9-]{1,64}$/i, message)
    .refine((name) => !RESERVED_HEADERS.test(name), message);
}
