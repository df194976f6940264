import type { Target } from '@contract/target';
import type { HealthState } from '@contract/target-health';
import type { StateLabel } from './state-label';
import { shownStates, targetLabels } from './target-labels';

const RECEIVES: StateLabel = { tone: 'ok', label: 'Receives it', description: 'Its types and filter match' };
const IS_QUEUED: StateLabel = {
  tone: 'warn',
  label: 'Queues it',
  description: 'Its types and filter match, but nothing is sent to it at present',
};

const MAY_QUEUE: StateLabel = {
  tone: 'warn',
  label: 'May queue it',
  description: 'Its types and filter match, but events of some entities wait',
};
const IS_ATTEMPTED: StateLabel = {
  tone: 'warn',
  label: 'Likely to fail',
  description: 'Its types and filter match, but attempts fail at present',
};
const RECEIVES_LATE: StateLabel = { ...RECEIVES, tone: 'warn', label: 'Receives it later' };

/** The states in which a target does not simply receive an event, and what it does then; the first that holds counts. */
const CONDITIONS = (ordering: Target['policy']['ordering']): [HealthState, StateLabel][] => [
  ['paused', IS_QUEUED],
  ['offline', IS_QUEUED],
  ['down', IS_QUEUED],
  ['blocked', ordering === 'strict' ? IS_QUEUED : MAY_QUEUE],
  ['failing', IS_ATTEMPTED],
  ['behind', RECEIVES_LATE],
];

/** What a target whose types and filter match does with an event at present, and why. */
export function prospectOf(target: Target | undefined): { state: StateLabel; why?: string | undefined } {
  if (target === undefined) return { state: RECEIVES };
  const shown = shownStates(target);
  const held = CONDITIONS(target.policy.ordering).find(([state]) => shown.includes(state));
  if (held === undefined) return { state: RECEIVES };
  const [state, label] = held;
  return { state: label, why: targetLabels(target)[shown.indexOf(state)]?.description };
}

/** Whether nothing is sent to a target at present, whatever it would receive. */
export const isHeld = (target: Target): boolean => prospectOf(target).state === IS_QUEUED;
