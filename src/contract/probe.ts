import { z } from 'zod';
import { instant } from './primitives';

/** What a proof of the loop found wrong, by what has to be set right. */
const PROBE_CAUSES = [
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
export type ProbeCause = (typeof PROBE_CAUSES)[number];

/**
 * A proof of the loop: a request through `PUBLIC_URL` to a one-off address of this daemon. `reached`: it came in here. All
 * is well where `cause` is null; what came in may still have been altered on the way.
 */
export const probe = z.object({
  at: instant,
  reached: z.boolean(),
  sentence: z.string(),
  remedy: z.string().nullable(),
  cause: z.enum(PROBE_CAUSES).nullable(),
  /**
   * How many proofs in a row, this one included, have found that Co-Pilot cannot come through. One that failed does not count
   * where notifications have arrived, which are the better proof.
   */
  failures: z.number().int(),
  /** When the certificate of `PUBLIC_URL` ends; null where none was shown that is good. */
  certificate_ends_at: instant.nullable(),
});
export type Probe = z.infer<typeof probe>;
