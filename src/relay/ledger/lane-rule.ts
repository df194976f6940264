import type { Findings, Read } from './findings';

const STEP_LANES = 200;

interface LaneRow {
  lane: string;
  open: number;
  heads: number;
  first: string;
}

/** One statement sees a settled head and its successor change together. */
const LANES = `SELECT lane, count(*) AS open, sum(state <> 'waiting') AS heads,
    (SELECT f.state FROM deliveries f INDEXED BY deliveries_lane
     WHERE f.target_id = d.target_id AND f.lane = d.lane AND f.settled_at IS NULL
     ORDER BY f.event_seq, f.n LIMIT 1) AS first
  FROM deliveries d INDEXED BY deliveries_lane
  WHERE target_id = ? AND lane > ? AND lane IS NOT NULL AND settled_at IS NULL
  GROUP BY lane ORDER BY lane LIMIT ?`;

/** A lane that has something open has one at its head, before all that wait. @returns how many lanes there are */
export async function findLanesWithoutOneHead(read: Read, findings: Findings): Promise<number> {
  const targets = await read<{ number: number }>(['SELECT number FROM targets ORDER BY number', []]);
  let lanes = 0;
  for (const { number } of targets) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: LaneRow[] = await read<LaneRow>([LANES, [number, after, STEP_LANES]]);
      lanes += rows.length;
      for (const row of rows) {
        const what = describe(row);
        if (what !== null) findings.add('lane_heads', `Lane ${row.lane} of target ${number} ${what}.`);
      }
      after = rows.length < STEP_LANES ? undefined : rows.at(-1)?.lane;
    }
  }
  return lanes;
}

function describe({ open, heads, first }: LaneRow): string | null {
  if (heads === 0) return `has ${open} deliveries waiting and none at its head: nothing brings them forward`;
  if (heads > 1) return `has ${heads} deliveries at its head: they may overtake each other`;
  return first === 'waiting' ? 'has a delivery waiting that belongs before the one at its head' : null;
}
