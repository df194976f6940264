import { z } from 'zod';
import { instant } from './primitives';

/** The invariants that are checked; see `docs/reference.md`. */
const LEDGER_RULES = [
  'event_missing',
  'event_unplanned',
  'delivery_state',
  'delivery_attempts',
  'delivery_orphan',
  'attempt_orphan',
  'duplicate_orphan',
  'identity_orphan',
  'dead_letters',
  'lane_heads',
  'delivery_stuck',
] as const;
export type LedgerRule = (typeof LEDGER_RULES)[number];

/** A violated invariant. */
const ledgerFinding = z.object({
  rule: z.enum(LEDGER_RULES),
  /** What is wrong, with the ids used by the API. */
  sentence: z.string(),
  remedy: z.string(),
});
export type LedgerFinding = z.infer<typeof ledgerFinding>;

/**
 * Result of the consistency check: whether each event has exactly one live delivery per target that accepted it, and
 * whether all other records agree with each other.
 */
export const ledger = z.object({
  /** When the check finished. */
  checked_at: instant,
  /** No invariant is violated. */
  balanced: z.boolean(),
  /** How many records were checked. */
  checked: z.object({
    events: z.number().int(),
    deliveries: z.number().int(),
    attempts: z.number().int(),
    lanes: z.number().int(),
    identities: z.number().int(),
  }),
  /** Number of violations. Only the first 50 of each rule are listed. */
  found: z.number().int(),
  findings: z.array(ledgerFinding),
});
export type Ledger = z.infer<typeof ledger>;
