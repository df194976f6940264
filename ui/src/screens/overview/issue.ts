import type { AlertSummary } from '@contract/alert';
import type { Outage } from '@contract/outage';
import type { Target } from '@contract/target';
import type { Tone } from '../../labels/state-label';

/** How to resolve an issue. */
export type Remedy =
  | { action: 'consent'; again: boolean }
  | { action: 'open-connection' }
  | { action: 'resume-subscription' }
  /** No screen helps; the sentence says where to look. */
  | { action: 'none' }
  | { action: 'dismiss-outage'; outage: Outage }
  | { action: 'open-event'; event: string }
  | { action: 'resume-target'; target: Target }
  | { action: 'open-target'; target: Target }
  | { action: 'open-dead-letters' }
  | { action: 'create-target' };

/** Something that needs attention. */
export interface Issue {
  id: string;
  tone: Tone;
  sentence: string;
  remedy: Remedy;
  /** The alert it comes from, if any. */
  alert?: AlertSummary;
}
