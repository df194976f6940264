import type { Target } from '@contract/target';
import { isSystemEvent } from './system-events';
import type { StateLabel } from './state-label';

/** The reason of a state, without its full stop, for use within a sentence. */
export const reasonOf = (state: { reason: string }): string => state.reason.replace(/\.$/, '');

/** The state of a target; states that need the operator come first. */
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
      description: `${reasonOf(breaker)}. Its circuit breaker is open; only probes are sent.`,
    };
  }
  if (!enabled) return { tone: 'idle', label: 'Disabled', description: 'Does not receive new events' };
  return { tone: 'ok', label: 'Active', description: 'Receives new events' };
}

/**
 * The event patterns of a target, shortened to `max` items. `*` matches all Co-Pilot events but no system
 * events.
 */
export function describeEvents(patterns: readonly string[], max = 2): string {
  const named = patterns.includes('*') ? ['All events', ...patterns.filter(isSystemEvent)] : patterns;
  return named.length <= max ? named.join(', ') : `${named.slice(0, max).join(', ')} +${named.length - max}`;
}
