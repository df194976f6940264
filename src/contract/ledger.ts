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
  'payload_schemas',
  'router_position',
  'entity_floor',
  'delivery_stuck',
] as const;
export type LedgerRule = (typeof LEDGER_RULES)[number];

const ledgerFinding = z
  .object({
    rule: z.enum(LEDGER_RULES).describe('The violated invariant.'),
    sentence: z.string().describe('What is wrong, with the ids used by the API.'),
    remedy: z.string().describe('What to do.'),
  })
  .describe('A violated invariant.');
export type LedgerFinding = z.infer<typeof ledgerFinding>;

export const ledger = z
  .object({
    checked_at: instant.describe('When the check finished.'),
    balanced: z.boolean().describe('No invariant is violated.'),
    checked: z
      .object({
        events: z.number().int().describe('Events.'),
        deliveries: z.number().int().describe('Deliveries.'),
        attempts: z.number().int().describe('Attempts.'),
        lanes: z.number().int().describe('Lanes.'),
        identities: z.number().int().describe('Identities of notifications.'),
      })
      .describe('How many records were checked.'),
    found: z.number().int().describe('Number of violations. Only the first 50 of each rule are listed.'),
    findings: z.array(ledgerFinding).describe('The violations.'),
  })
  .describe(
    'Result of the consistency check: whether each event has exactly one live delivery per target that accepted it, and whether all other records agree with each other.',
  );
export type Ledger = z.infer<typeof ledger>;
