import type { TargetPolicy } from '../../../contract/target-policy';

const ALL = '*';

/**
 * The lane of an event's delivery to a target, or null without ordering. With `entity`, events of one entity share a
 * lane; with `strict`, all events do. Replays have separate lanes, so that old and new events do not wait for each
 * other.
 */
export function laneOf(
  ordering: TargetPolicy['ordering'],
  entity: string | null,
  replayId: string | null = null,
): string | null {
  const lane = ordering === 'strict' ? ALL : ordering === 'entity' ? entity : null;
  return lane === null || replayId === null ? lane : `${replayId}/${lane}`;
}

/** Whether nothing but replays is sent to the target outside this lane. */
export const isOnlyLane = (lane: string | null): boolean => lane === ALL;

/** A lane in a sentence: `the lane of deal:42`, `the lane of all events in its replay`. */
export function describeLane(lane: string): string {
  const [, inReplay] = /^rpl_[^/]+\/(.+)$/s.exec(lane) ?? [];
  const events = inReplay ?? lane;
  return `the lane of ${events === ALL ? 'all events' : events}${inReplay === undefined ? '' : ' in its replay'}`;
}
