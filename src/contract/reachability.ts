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

/** Result of a reachability check: a request through `PUBLIC_URL` to a one-time path of this daemon. */
export const reachabilityCheck = z.object({
  at: instant,
  /** Whether the request arrived here. It may still have been altered on the way; see `cause`. */
  reached: z.boolean(),
  /** The result in words. */
  sentence: z.string(),
  /** What to do; null if nothing needs to be done. */
  remedy: z.string().nullable(),
  /** Null if the check succeeded. */
  cause: z.enum(CAUSES).nullable(),
  /**
   * Consecutive checks, including this one, that found that Co-Pilot cannot reach the daemon. A failure does not
   * count if notifications have arrived meanwhile.
   */
  failures: z.number().int(),
  /** When the certificate of `PUBLIC_URL` expires; null if no valid one was presented. */
  certificate_ends_at: instant.nullable(),
});
export type ReachabilityCheck = z.infer<typeof reachabilityCheck>;
