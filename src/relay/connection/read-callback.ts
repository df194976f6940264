import { z } from 'zod';

/** What Co-Pilot's redirect brought back (document, 4.1; RFC 6749, 4.1.2). */
export interface Callback {
  state: string;
  code: string | null;
  error: string | null;
}

const parameter = z.string().min(1).max(4_096);

const callback = z.object({
  state: parameter,
  code: parameter.optional(),
  error: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .catch('unreadable'),
});

/** Null where the state is missing, or a parameter comes twice (which the parser gives as a list). */
export function readCallback(query: unknown): Callback | null {
  const { data } = callback.safeParse(query);
  if (data === undefined) return null;
  return { state: data.state, code: data.code ?? null, error: data.error ?? null };
}
