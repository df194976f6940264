import { z } from 'zod';

/** An event type, or a pattern: `*` stands for any run of characters (`deal.*`, `*`). */
export const eventGlob = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_.*-]+$/i, 'letters, digits, dot, underscore, hyphen and *');
