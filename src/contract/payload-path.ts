import { z } from 'zod';
import { FILTER_WORDS, MAX_PATH_LENGTH, MAX_PATH_STEPS } from './path-limits';
import { atMost } from './text-length';

/** A character that ends no step: none of `.` and `\`, or any behind a backslash. */
const CHARACTER = String.raw`(?:[^.\\]|\\[\s\S]|\\$)`;
const WORDS = FILTER_WORDS.map((word) => word.slice(1)).join('|');
const NEXT_STEP = String.raw`\.(?!\$(?:${WORDS})(?:\.|$))${CHARACTER}+`;

/** A path in a payload, as in a filter; `parsePath` of the daemon splits it. */
export const payloadPath = z
  .string()
  .regex(
    new RegExp(String.raw`^(?!\$)${CHARACTER}+(?:${NEXT_STEP}){0,${MAX_PATH_STEPS - 1}}$`),
    'is no path: names separated by single dots, at most ten, of which none is an operator',
  )
  .refine(...atMost(MAX_PATH_LENGTH))
  .meta({ maxLength: MAX_PATH_LENGTH });
