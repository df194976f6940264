import { z } from 'zod';
import { instant } from './primitives';

/** What can be wrong with the books. */
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

const ledgerFinding = z.object({
  rule: z.enum(LEDGER_RULES),
  /** What is wrong, with the ids by which the API knows it. */
  sentence: z.string(),
  /** What to do about it. */
  remedy: z.string(),
});
export type LedgerFinding = z.infer<typeof ledgerFinding>;

/** Whether for each event and each target that accepted it there is one delivery in one state, and all else adds up. */
export const ledger = z.object({
  checked_at: instant,
  balanced: z.boolean(),
  checked: z.object({
    events: z.number().int(),
    deliveries: z.number().int(),
    attempts: z.number().int(),
    lanes: z.number().int(),
    identities: z.number().int(),
  }),
  /** How many there are; the first of each rule are named. */
  found: z.number().int(),
  findings: z.array(ledgerFinding),
});
export type Ledger = z.infer<typeof ledger>;
