import { z } from 'zod';

/** The parameters of Co-Pilot's redirect (document, 4.1; RFC 6749, 4.1.2). */
export interface Callback {
  state: string;
  code: string | null;
  /** Co-Pilot's error code; `unreadable` if it cannot be one. */
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

/** Null if the state is missing, or a parameter occurs twice (parsed as an array). */
export function readCallback(query: unknown): Callback | null {
  const { data } = callback.safeParse(query);
  if (data === undefined) return null;
  return { state: data.state, code: data.code ?? null, error: data.error ?? null };
}
