import type { Target } from '../../../src/contract/target';
import { isSystemEvent } from './system-events';
import type { StateLabel } from './state-label';

/** Why nothing goes out to a target, without its full stop, so that it fits into a sentence. */
export const reasonOf = (rest: { reason: string }): string => rest.reason.replace(/\.$/, '');

/** The state of a target in words; what somebody has to end outweighs the rest. */
export function targetLabel({ paused, disabled, enabled, breaker }: Target): StateLabel {
  if (disabled !== null) {
    return {
      tone: 'bad',
      label: 'Gone',
      description: `${reasonOf(disabled)}. It no longer receives new events.`,
    };
  }
  if (paused !== null) {
    return {
      tone: 'warn',
      label: 'Paused',
      description: `${reasonOf(paused)}. Deliveries are queued until it is resumed.`,
    };
  }
  if (breaker !== null) {
    return {
      tone: 'bad',
      label: 'Down',
      description: `${breaker.reason.replace(/\.$/, '')}. Its circuit breaker is open; only probes are sent.`,
    };
  }
  if (!enabled) return { tone: 'idle', label: 'Disabled', description: 'Does not receive new events' };
  return { tone: 'ok', label: 'Active', description: 'Receives new events' };
}

/**
 * What a target takes, at most so many patterns by name. `*` means Co-Pilot's events; Switchboard's own are taken by name.
 */
export function describeEvents(globs: readonly string[], most = 2): string {
  const named = globs.includes('*') ? ['All events', ...globs.filter(isSystemEvent)] : globs;
  return named.length <= most
    ? named.join(', ')
    : `${named.slice(0, most).join(', ')} +${named.length - most}`;
}
