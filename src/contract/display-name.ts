import { z } from 'zod';

/**
 * What is not shown but obeyed: control characters, which terminals take for orders, and characters that turn or hide what
 * stands around them. The joiners and tags within emoji and within words of some scripts are none of these.
 */
export const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/u;

/** A name that people give to something, one line of it. */
export const displayName = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine((name) => !UNSHOWN.test(name), 'a name has no control characters and no invisible ones');
