import type { Target } from '../../../src/contract/target';
import type { StateWords } from './tone';

/** The state of a target in words; a pause outweighs the rest, since somebody has to end it. */
export function targetWords({ paused, enabled }: Target): StateWords {
  if (paused !== null) {
    return {
      tone: 'warn',
      word: 'Paused',
      meaning: `${paused.reason}. Its deliveries gather until it is resumed.`,
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
