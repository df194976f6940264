import { z } from 'zod';
import { instant } from './primitives';

/** Why a reachability check failed, by what needs to be fixed. `refused`: the connection was refused. */
const CAUSES = [
  'dns',
  'refused',
  'unreachable',
  'timeout',
  'reset',
  'tls_expired',
  'tls_untrusted',
  'tls_wrong_name',
  'tls',
  'proxy',
  'page',
  'redirect',
  'other_instance',
  'other_program',
  'body_altered',
  'header_altered',
  'answer_altered',
] as const;
export type ReachabilityCause = (typeof CAUSES)[number];

export const reachabilityCheck = z
  .object({
    at: instant.describe('When it was checked.'),
    reached: z
      .boolean()
      .describe('Whether the request arrived here. It may still have been altered on the way; see `cause`.'),
    sentence: z.string().describe('The result in words.'),
    remedy: z.string().nullable().describe('What to do; null if nothing needs to be done.'),
    cause: z.enum(CAUSES).nullable().describe('Null if the check succeeded.'),
    failures: z
      .number()
      .int()
      .describe(
        'Consecutive checks, including this one, that found that Co-Pilot cannot reach the daemon. A failure does not count if notifications have arrived meanwhile.',
      ),
    certificate_ends_at: instant
      .nullable()
      .describe('When the certificate of `PUBLIC_URL` expires; null if no valid one was presented.'),
  })
  .describe(
    'Result of a reachability check: a request through `PUBLIC_URL` to a one-time path of this daemon.',
  );
export type ReachabilityCheck = z.infer<typeof reachabilityCheck>;
