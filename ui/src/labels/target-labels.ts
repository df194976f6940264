import { DEFAULT_PAUSE_REASON } from '@contract/constants';
import type { Target } from '@contract/target';
import type { HealthState } from '@contract/target-health';
import { formatCount, formatNoun } from '../format/number';
import { isSystemEvent } from './system-events';
import type { StateLabel } from './state-label';

/** The reason of a state, without its full stop, for use within a sentence. */
export const reasonOf = (state: { reason: string }): string => state.reason.replace(/\.$/, '');

/** Where the events of a target go, in a few words. */
export const addressOf = ({ url, listener }: Pick<Target, 'url' | 'listener'>): string =>
  url ?? ['Listener', listener?.forward_to ?? null].filter((part) => part !== null).join(' · ');

/** Why a target is paused, or how its latest attempt failed if it is failing or down. */
export const causesOf = ({ paused, health }: Pick<Target, 'paused' | 'health'>): string[] => [
  ...(paused === null || paused.reason === DEFAULT_PAUSE_REASON ? [] : [`“${reasonOf(paused)}”`]),
  ...(health.last_failure !== null && health.states.some((state) => state === 'failing' || state === 'down')
    ? [reasonOf({ reason: health.last_failure.sentence })]
    : []),
];

/** How many attempts failed, in a clause. */
export const describeFailures = ({ failed, attempts }: Target['health']): string =>
  failed === attempts
    ? `Every attempt in the last hour failed (${formatCount(failed)})`
    : `${formatCount(failed)} of ${formatNoun(attempts, 'attempt')} in the last hour failed`;

/** What is shown as the state of a target: `gone` if it was disabled because its receiver said so. */
export type ShownState = HealthState | 'gone';

type HealthFacts = Pick<Target, 'paused' | 'disabled' | 'breaker' | 'health'>;

export const BLOCKED = 'Deliveries wait behind a dead letter until it is retried or discarded.';

/** How each state is shown. */
const LABELS: Record<ShownState, (target: HealthFacts) => Omit<StateLabel, 'label'>> = {
  gone: ({ disabled }) => ({
    tone: 'bad',
    description: `${disabled === null ? 'Gone' : reasonOf(disabled)}. It no longer receives new events.`,
  }),
  disabled: () => ({ tone: 'idle', description: 'Does not receive new events' }),
  paused: ({ paused }) => ({
    tone: 'warn',
    description: `${paused === null ? 'Paused' : reasonOf(paused)}. Deliveries are queued until it is resumed.`,
  }),
  offline: () => ({
    tone: 'idle',
    description: 'No program takes its events. They are queued.',
  }),
  down: ({ breaker }) => ({
    tone: 'bad',
    description: `${breaker === null ? 'Unavailable' : reasonOf(breaker)}. Its circuit breaker is open; only probes are sent.`,
  }),
  failing: ({ health }) => ({ tone: 'bad', description: `${describeFailures(health)}.` }),
  blocked: () => ({ tone: 'bad', description: BLOCKED }),
  behind: () => ({
    tone: 'warn',
    description: 'Deliveries have been due for more than a minute.',
  }),
  active: () => ({ tone: 'ok', description: 'Receives new events' }),
};

/** The states of a target, the most important first. */
export const targetLabels = (target: HealthFacts): StateLabel[] =>
  shownStates(target).map((state) => ({ label: STATE_NAMES[state], ...LABELS[state](target) }));

export const shownStates = ({ disabled, health: { states } }: HealthFacts): ShownState[] =>
  states.map((state) => (state === 'disabled' && disabled !== null ? 'gone' : state));

/** The states, the worst first: what works comes before what is disabled on purpose. */
export const STATE_NAMES: Record<ShownState, string> = {
  gone: 'Gone',
  down: 'Down',
  blocked: 'Blocked',
  failing: 'Failing',
  behind: 'Behind',
  paused: 'Paused',
  offline: 'Offline',
  active: 'Active',
  disabled: 'Disabled',
};
const SEVERITIES = Object.keys(STATE_NAMES);

/** Sorts targets by their worst state, without a change among equals. */
export const worstFirst = <One extends HealthFacts>(targets: readonly One[]): One[] =>
  targets.toSorted((one, other) => severityOf(one) - severityOf(other));

/** Lower is worse. */
export const severityOf = (target: HealthFacts): number =>
  Math.min(...shownStates(target).map((state) => SEVERITIES.indexOf(state)));

/**
 * The event patterns of a target, shortened to `max` items. `*` matches all Co-Pilot events but no system
 * events.
 */
export function describeEvents(patterns: readonly string[], max = 2): string {
  const named = patterns.includes('*') ? ['All events', ...patterns.filter(isSystemEvent)] : patterns;
  return named.length <= max ? named.join(', ') : `${named.slice(0, max).join(', ')} +${named.length - max}`;
}

/** Whether a target receives nothing but system events. Such a target is not paused together with all others. */
export const isForAlerts = ({ events }: Pick<Target, 'events'>): boolean => events.every(isSystemEvent);

/** Whether the name, the address or the events of a target contain each word of a text. */
export function matchesText({ name, url, listener, events }: Target, text: string): boolean {
  const all = [name, addressOf({ url, listener }), ...events].join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
