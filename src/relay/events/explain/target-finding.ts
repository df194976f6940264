import type { TargetOutcome } from '../../../contract/explanation';

/** What became of an event at a target. */
export interface TargetFinding {
  outcome: TargetOutcome;
  /** The reason in a few words, for the summary; targets with equal words are counted together. */
  brief: string;
  /** The reason in sentences. */
  reason: string;
}
