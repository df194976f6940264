import { z } from 'zod';
import { maskSecrets } from '../secrets/mask-secrets';

const MAX_LENGTH = 200;

const errorBody = z.object({
  detail: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
});

/**
 * Co-Pilot's message in an error response as one short line, or null. The document shows no error bodies
 * (7), so the usual field names are tried.
 * @param secrets values to mask in case Co-Pilot repeats them
 */
export function readRefusal(body: unknown, secrets: readonly string[]): string | null {
  const { data } = errorBody.safeParse(body);
  const text = data?.detail ?? data?.message ?? data?.error_description ?? data?.error ?? data?.title;
  if (text === undefined) return null;
  return maskSecrets(text, secrets).replace(/\s+/g, ' ').trim().slice(0, MAX_LENGTH) || null;
}
