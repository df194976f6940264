import { z } from 'zod';
import { maskSecrets } from '../secrets/mask-secrets';

const MAX_MESSAGE_LENGTH = 200;

const text = z.string().optional().catch(undefined);
const errorBody = z.object({
  detail: text,
  message: text,
  error_description: text,
  error: text,
  title: text,
});

/**
 * Co-Pilot's message in an error response as one short line, or null. The document shows no error bodies (7), so the
 * usual field names are tried, in the response itself and in an object `error` or a list `errors`.
 * @param secrets values to mask in case Co-Pilot repeats them
 */
export function readMessage(body: unknown, secrets: readonly string[]): string | null {
  const { data } = errorBody.safeParse(body);
  if (data === undefined) return null;
  const found = data.detail ?? data.message ?? data.error_description ?? data.error ?? data.title;
  if (found === undefined) {
    const { error, errors } = body as { error?: unknown; errors?: unknown };
    const inner = error ?? (Array.isArray(errors) ? (errors[0] as unknown) : undefined);
    return inner === undefined ? null : readMessage(inner, secrets);
  }
  return maskSecrets(found, secrets).replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE_LENGTH) || null;
}
