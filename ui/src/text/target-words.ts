import type { Target } from '../../../src/contract/target';
import type { StateWords } from './tone';

/** Why a target is paused, without its full stop, so that it fits into a sentence. */
export const reasonOf = (paused: NonNullable<Target['paused']>): string => paused.reason.replace(/\.$/, '');

/** The state of a target in words; a pause outweighs the rest, since somebody has to end it. */
export function targetWords({ paused, enabled }: Target): StateWords {
  if (paused !== null) {
    return {
      tone: 'warn',
      word: 'Paused',
      meaning: `${reasonOf(paused)}. Its deliveries gather until it is resumed.`,
    };
  }
  if (!enabled) return { tone: 'idle', word: 'Off', meaning: 'New events do not go here' };
  return { tone: 'ok', word: 'Active', meaning: 'Takes new events' };
}

/** What a target takes, short enough for a row. */
export function eventsInWords(globs: readonly string[]): string {
  if (globs.includes('*')) return 'all events';
  return globs.length <= 2 ? globs.join(', ') : `${globs.slice(0, 2).join(', ')} +${globs.length - 2}`;
}
