import type { AlertSummary } from '@contract/alert';
import type { Outage } from '@contract/outage';
import type { Target } from '@contract/target';
import type { Tone } from '../../labels/state-label';

/** How to resolve an issue. */
export type Remedy =
  | { action: 'consent'; again: boolean }
  | { action: 'open-connection'; section?: ConnectionSection }
  | { action: 'resume-subscription' }
  /** No screen helps; the sentence says where to look. */
  | { action: 'none' }
  | { action: 'dismiss-outage'; outage: Outage }
  | { action: 'open-event'; event: string }
  | { action: 'resume-target'; target: Target }
  | { action: 'open-target'; target: Target }
  | { action: 'open-dead-letters' }
  | { action: 'open-daemons' }
  | { action: 'create-target' };

/** Panels of the Connection screen that can be linked to. */
export type ConnectionSection = 'quarantine' | 'outages';

/** Something that needs attention. */
export interface Issue {
  /** Identifies it in snoozes: its kind, and the id of what it is about. */
  id: string;
  tone: Tone;
  /** What it is about, such as a target's name; the sentence continues it. */
  subject: string;
  sentence: string;
  /** How many, such as `12 queued`. */
  count?: string;
  remedy: Remedy;
  /** It is the wish of an operator, so it can be dismissed for as long as it lasts. */
  isDeliberate?: boolean;
  /** The alert it comes from, or the one that reports the same. */
  alert?: AlertSummary;
}
