import type { Findings, Read } from './findings';
import { IS_DELIVERED_SINCE } from '../../database/journal/delivery-conditions';
import { withIndex } from '../../database/reading/dialect';

/** How many lanes one query reads. */
const STEP_LANES = 200;

interface LaneRow {
  lane: string;
  queued: number;
  heads: number;
  first: string;
  /** Whether the first one is a dead letter whose event was delivered since. */
  delivered: 0 | 1;
  seq: number;
  n: number;
}

/** A single statement, so that a head that finishes and its successor are read in the same state. */
const LANES = `SELECT l.lane, l.queued, l.heads, f.state AS first, f.event_seq AS seq, f.n AS n,
    EXISTS (SELECT 1 FROM deliveries WHERE (event_seq, target_id, n) = (f.event_seq, f.target_id, f.n)
      AND ${IS_DELIVERED_SINCE}) AS delivered
  FROM (
    SELECT target_id, lane, count(*) AS queued, count(*) FILTER (WHERE state <> 'waiting') AS heads
    FROM ${withIndex('deliveries', 'deliveries_lane')}
    WHERE target_id = ? AND lane > ? AND lane IS NOT NULL AND finished_at IS NULL
    GROUP BY target_id, lane ORDER BY lane LIMIT ?) l
  JOIN deliveries f ON (f.event_seq, f.target_id, f.n) = (
    SELECT event_seq, target_id, n FROM ${withIndex('deliveries', 'deliveries_lane')}
    WHERE target_id = l.target_id AND lane = l.lane AND finished_at IS NULL ORDER BY event_seq, n LIMIT 1)
  ORDER BY l.lane`;

/**
 * Finds lanes whose queued deliveries do not have exactly one at their head, before all others.
 * @returns how many lanes there are
 */
export async function findLanesWithoutOneHead(read: Read, findings: Findings): Promise<number> {
  const targets = await read<{ number: number }>(['SELECT number FROM targets ORDER BY number', []]);
  let lanes = 0;
  for (const { number } of targets) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: LaneRow[] = await read<LaneRow>([LANES, [number, after, STEP_LANES]]);
      lanes += rows.length;
      for (const row of rows) {
        const what = describe(row);
        if (what === null) continue;
        const { names } = findings;
        const first = names.delivery({ seq: row.seq, target: number, n: row.n });
        findings.add(
          'lane_heads',
          `Lane ${row.lane} of ${names.target(number)} ${what}. First delivery: ${first}.`,
        );
      }
      after = rows.length < STEP_LANES ? undefined : rows.at(-1)?.lane;
    }
  }
  return lanes;
}

function describe({ queued, heads, first, delivered }: LaneRow): string | null {
  if (delivered)
    return `is blocked by a dead letter although its event was delivered, so none of ${queued - 1} is sent`;
  if (heads === 0) return `has ${queued} queued and none at its head, so none is sent`;
  if (heads > 1) return `has ${heads} deliveries at its head, so they may overtake each other`;
  return first === 'waiting' ? 'has a delivery queued ahead of the one at its head' : null;
}
