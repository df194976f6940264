import { z } from 'zod';

/**
 * Characters that affect their surroundings without being visible: control characters, which terminals interpret as
 * commands, and characters that reverse or hide the text around them. Joiners and tags, which emoji and some scripts
 * need, are excluded.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/u;

/** A name given by a user, in one line. */
export const displayName = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine((name) => !UNPRINTABLE.test(name), 'must not contain control or invisible characters');
