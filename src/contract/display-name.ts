import { z } from 'zod';
import { UNPRINTABLE } from './constants';
import { atMost } from './text-length';

/** The format of a display name in `openapi.json`, where a pattern takes its place. */
export const DISPLAY_NAME = 'display-name';

/** A name given by a user, in one line. */
export const displayName = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine(...atMost(longest))
    .refine((name) => !UNPRINTABLE.test(name), 'must not contain control or invisible characters')
    .meta({ maxLength: longest, format: DISPLAY_NAME });
