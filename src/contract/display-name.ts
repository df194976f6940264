import { z } from 'zod';
import { UNPRINTABLE } from './constants';

/** A name given by a user, in one line. */
export const displayName = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine((name) => !UNPRINTABLE.test(name), 'must not contain control or invisible characters');
