import type { AlertSummary } from '../../../../src/contract/alert';
import type { Outage } from '../../../../src/contract/outage';
import type { Target } from '../../../../src/contract/target';
import type { Tone } from '../../labels/state-label';

/** What to do about a finding. */
export type Remedy =
  | { act: 'consent'; again: boolean }
  | { act: 'look-at-connection' }
  | { act: 'resume-subscription' }
  /** Nothing on these screens helps; the sentence says where to look. */
  | { act: 'look-elsewhere' }
  | { act: 'dismiss-outage'; outage: Outage }
  | { act: 'look-at-event'; event: string }
  | { act: 'resume'; target: Target }
  | { act: 'look-at-target'; target: Target }
  | { act: 'show-dead' }
  | { act: 'make-target' };

/** Something that wants a hand. */
export interface Finding {
  id: string;
  tone: Tone;
  sentence: string;
  remedy: Remedy;
  /** The alert that it is, if it is one. */
  alert?: AlertSummary;
}
