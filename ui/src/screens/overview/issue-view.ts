import type { Issue } from '@contract/health';
import { SYSTEM_EVENT_PREFIX } from '@contract/constants';
import { systemEventName } from '../../labels/system-events';
import type { Tone } from '../../labels/state-label';

const TONES: Record<Issue['severity'], Tone> = { critical: 'bad', warning: 'warn', info: 'idle' };

export const toneOf = ({ severity }: Issue): Tone => TONES[severity];

/** The codes whose words say too little on their own. */
const TITLES: Partial<Record<string, string>> = {
  'connection.missing': 'Not connected',
  'connection.scopes_missing': 'Scopes missing',
  'notification.held': 'Duplicates',
  'notification.rejected': 'Quarantine',
  'notification.slow': 'Slow responses',
  'outage.ended': 'Outage',
  'outage.silence': 'Silence',
  'target.none': 'No targets',
};

/** What an issue is about in a few words: those of the title of its messages, if it has any. */
export function titleOf({ code }: Issue): string {
  const words = TITLES[code] ?? systemEventName(SYSTEM_EVENT_PREFIX + code);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Names an issue among all, for who does not see its place. */
export const labelOf = (issue: Issue): string =>
  [titleOf(issue), issue.target_name].filter((part) => part !== null).join(', ');
