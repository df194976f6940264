import { z } from 'zod';

/** An event type, or a pattern in which `*` matches any characters (`deal.*`, `*`). */
export const eventPattern = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_.*-]+$/i, 'letters, digits, dot, underscore, hyphen and *');
