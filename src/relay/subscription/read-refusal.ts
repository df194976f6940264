import { z } from 'zod';
import { maskSecrets } from '../secrets/mask-secrets';

const LONGEST = 200;

const said = z.object({
  detail: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
});

/**
 * What Co-Pilot says to a refusal, as one short line, or null. Error bodies are not shown (document, 7); the usual names
 * are looked for.
 * @param secrets what must not be shown, should Co-Pilot repeat it
 */
export function readRefusal(body: unknown, secrets: readonly string[]): string | null {
  const { data } = said.safeParse(body);
  const text = data?.detail ?? data?.message ?? data?.error_description ?? data?.error ?? data?.title;
  if (text === undefined) return null;
  return maskSecrets(text, secrets).replace(/\s+/g, ' ').trim().slice(0, LONGEST) || null;
}
