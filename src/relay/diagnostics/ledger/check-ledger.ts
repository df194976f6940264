import type { Ledger } from '../../../contract/ledger';
import type { Findings, Read } from './findings';
import { findFloorAboveHorizon } from './floor-rule';
import { findIdentityOrphans } from './identity-rule';
import { findLanesWithoutOneHead } from './lane-rule';
import { RANGE_RULES } from './range-rules';
import { findWrongSchemas } from './schemas-rule';
import { IS_DEAD_LETTER } from '../../database/journal/delivery-conditions';

/** How many sequence numbers one step covers, so that no query runs for long. */
const STEP_EVENTS = 1_000;

const NEXT_SEQ = `SELECT min(seq) AS seq FROM (
  SELECT min(seq) AS seq FROM events WHERE seq >= @from UNION ALL
  SELECT min(event_seq) FROM deliveries WHERE event_seq >= @from UNION ALL
  SELECT min(event_seq) FROM attempts WHERE event_seq >= @from UNION ALL
  SELECT min(event_seq) FROM duplicates WHERE event_seq >= @from) firsts`;

const COUNTS = `SELECT (SELECT count(*) FROM events WHERE seq BETWEEN @from AND @to) AS events,
  (SELECT count(*) FROM deliveries WHERE event_seq BETWEEN @from AND @to) AS deliveries,
  (SELECT count(*) FROM attempts WHERE event_seq BETWEEN @from AND @to) AS attempts`;

/** Runs all consistency checks in bounded steps. Records stored after the start may not be checked. */
export async function checkLedger(read: Read, findings: Findings): Promise<Ledger['checked']> {
  const checked = { events: 0, deliveries: 0, attempts: 0, lanes: 0, identities: 0 };
  for (let from = 0; ; from += STEP_EVENTS) {
    const [first] = await read<{ seq: number | null }>([NEXT_SEQ, [{ from }]]);
    const next = first?.seq ?? null;
    if (next === null) break;
    from = next;
    const range = [{ from, to: from + STEP_EVENTS - 1 }];
    for (const { rule, sql, sentence } of RANGE_RULES)
      for (const row of await read<Parameters<typeof sentence>[0]>([sql, range]))
        findings.add(rule, sentence(row, findings.names));
    const [counts] = await read<Pick<typeof checked, 'events' | 'deliveries' | 'attempts'>>([COUNTS, range]);
    checked.events += counts!.events;
    checked.deliveries += counts!.deliveries;
    checked.attempts += counts!.attempts;
  }
  await findMiscountedDeadLetters(read, findings);
  await findRouterAhead(read, findings);
  checked.lanes = await findLanesWithoutOneHead(read, findings);
  checked.identities = await findIdentityOrphans(read, findings);
  await findWrongSchemas(read, findings);
  await findFloorAboveHorizon(read, findings);
  return checked;
}

/** A single statement, so that a delivery and the count that includes it are read in the same state. */
const MISCOUNTED = `SELECT target, sum(counted) AS counted, sum(found) AS found FROM (
    SELECT target, count AS counted, 0 AS found FROM dead_letter_counts
    UNION ALL
    SELECT target_id, 0, count(*) FROM deliveries d WHERE state = 'dead' AND ${IS_DEAD_LETTER}
    GROUP BY target_id) counts
  GROUP BY target HAVING sum(counted) <> sum(found)`;

/** Compares the stored count of dead letters with the deliveries. */
async function findMiscountedDeadLetters(read: Read, findings: Findings): Promise<void> {
  const rows = await read<{ target: number; counted: number; found: number }>([MISCOUNTED, []]);
  for (const { target, counted, found } of rows)
    findings.add(
      'dead_letters',
      `${counted} dead letters are counted for ${findings.names.target(target)}, but ${found} exist.`,
    );
}

const AHEAD = `SELECT position, newest FROM (
    SELECT position, (SELECT coalesce(max(seq), 0) FROM events) AS newest FROM router) lag WHERE position > newest`;

/** What the router has evaluated must be stored. */
async function findRouterAhead(read: Read, findings: Findings): Promise<void> {
  for (const { position, newest } of await read<{ position: number; newest: number }>([AHEAD, []]))
    findings.add(
      'router_position',
      `The router has evaluated events up to ${position}, but the newest is ${newest}.`,
    );
}
