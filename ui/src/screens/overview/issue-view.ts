import type { Issue } from '@contract/health';
import type { Target } from '@contract/target';
import { SYSTEM_EVENT_PREFIX } from '@contract/constants';
import { formatOneUnit } from '../../format/relative';
import { systemEventName } from '../../labels/system-events';
import type { IssueGroup } from './group-issues';

/** Of issues whose code says too little: by code, or by id where a code has two meanings. */
const TITLES: Partial<Record<string, string>> = {
  'connection.missing': 'Not connected',
  'connection.scopes_missing': 'Scopes missing',
  'notification.held': 'Duplicates',
  'notification.rejected': 'Quarantine',
  'notification.slow': 'Slow responses',
  'outage.ended': 'Outage',
  'outage.silence': 'Silence',
  'subscription.unchecked': 'Webhook unverified',
  'subscription:registering': 'Webhook not registered yet',
  'target.none': 'No targets',
};

/** What an issue is about in a few words: those of the title of its messages, if it has any. */
export function titleOf({ id, code }: Pick<Issue, 'id' | 'code'>): string {
  const words = TITLES[id] ?? TITLES[code] ?? systemEventName(SYSTEM_EVENT_PREFIX + code);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Names a group among all, for who does not see its place. */
export const labelOf = ({ issues: [{ target_name: target, ...issue }] }: IssueGroup): string =>
  target ?? titleOf(issue);

const SECOND_MS = 1_000;

type IssueFacts = Pick<Issue, 'code' | 'severity' | 'since'>;

/** How long the first of some issues has lasted, if that is known and not only a remark: `for 2 min`. */
export function durationOf(issues: readonly IssueFacts[], now: number): string | null {
  const since = issues.flatMap(({ severity, since: at }) => (severity === 'info' || at === null ? [] : [at]));
  return formatSince(since, now);
}

/** How long a target has been in the state that is shown first: its other issues can be older. */
export function stateDurationOf(
  { breaker, health: { states } }: Pick<Target, 'breaker' | 'health'>,
  issues: readonly IssueFacts[],
  now: number,
): string | null {
  const [state] = states;
  if (state === 'down' && breaker !== null) return formatSince([breaker.opened_at], now);
  const recovery = issues.find(({ code }) => code === 'target.recovered');
  if (recovery !== undefined && recovery.since !== null) return formatSince([recovery.since], now);
  const same = issues.filter(({ code, since }) => code === `target.${state}` && since !== null);
  return durationOf(same.length === 0 ? issues : same, now);
}

function formatSince(since: readonly string[], now: number): string | null {
  const ms = now - Math.min(...since.map((at) => Date.parse(at)));
  if (since.length === 0) return null;
  return ms < SECOND_MS ? null : `for ${formatOneUnit(ms)}`;
}
