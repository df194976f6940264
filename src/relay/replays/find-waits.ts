import type { ReplayPlan } from '../../contract/replay';
import type { Reader } from '../database/reader';
import type { PausedTargets } from './paused-targets';

type Waits = ReplayPlan['waiting_for'];

/** Which resting targets replays have something open for, by the replay's id. It costs a few looks at an index for each of both. */
export async function findWaits(
  replayIds: readonly string[],
  resting: ReturnType<PausedTargets['all']>,
  reader: Reader,
): Promise<ReadonlyMap<string, Waits>> {
  if (replayIds.length === 0 || resting.length === 0) return new Map();
  const rows = await reader.all<{ id: string; number: number }>([
    `SELECT r.value AS id, t.value AS number FROM json_each(?) r CROSS JOIN json_each(?) t WHERE EXISTS (
       SELECT 1 FROM deliveries WHERE replay_id = r.value AND state IN ('waiting', 'pending', 'retrying') AND target_id = t.value)`,
    [JSON.stringify(replayIds), JSON.stringify(resting.map(({ target }) => target.number))],
  ]);
  const waits = new Map<string, Waits>();
  for (const { target, rest } of resting)
    for (const { id } of rows.filter(({ number }) => number === target.number))
      waits.set(id, [
        ...(waits.get(id) ?? []),
        {
          target_id: target.id,
          name: target.name,
          why: rest.why,
          since: new Date(rest.since).toISOString(),
          reason: rest.reason,
        },
      ]);
  return waits;
}
