import type { Findings, Read } from './findings';

/** How many rows one query reads. */
const STEP_ROWS = 2_000;

/** What was read at Co-Pilot is no state of a removed event. */
const NEXT = `SELECT entity, seq,
    CASE WHEN origin <> 'baseline' AND seq > (SELECT floor_through FROM instance) THEN 1 ELSE 0 END AS wrong
  FROM entity_floor WHERE entity > ? ORDER BY entity LIMIT ${STEP_ROWS}`;

interface FloorRow {
  entity: string;
  seq: number;
  wrong: 0 | 1;
}

/** Finds states of removed events that are above the horizon: times from which they count as known would lack them. */
export async function findFloorAboveHorizon(read: Read, findings: Findings): Promise<void> {
  let rows: FloorRow[] = [];
  do {
    rows = await read<FloorRow>([NEXT, [rows.at(-1)?.entity ?? '']]);
    for (const { entity, seq, wrong } of rows)
      if (wrong === 1)
        findings.add(
          'entity_floor',
          `The last state of ${entity} is that of event ${seq}, above the horizon.`,
        );
  } while (rows.length === STEP_ROWS);
}
