import type { TargetPolicy } from '../../../contract/target-policy';

const ALL = '*';

/**
 * The lane that an event takes to a target, or null where it has none: where order is `entity`, events of one entity share
 * a lane; where it is `strict`, all do. A replay has lanes of its own, so that old and new events do not wait for each other.
 */
export function laneOf(
  ordering: TargetPolicy['ordering'],
  entity: string | null,
  replayId: string | null = null,
): string | null {
  const lane = ordering === 'strict' ? ALL : ordering === 'entity' ? entity : null;
  return lane === null || replayId === null ? lane : `${replayId}/${lane}`;
}
