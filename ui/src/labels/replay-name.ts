import type { ReplayPlan } from '../../../src/contract/replay';
import { describeFilter } from './replay-labels';

/** A replay in a few words: which events it sends again. */
export function replayName(replay: ReplayPlan, nameOf: (target: string) => string): string {
  if (replay.event_id !== null) return 'One event';
  return describeFilter(replay.filter, nameOf).join(' ');
}
