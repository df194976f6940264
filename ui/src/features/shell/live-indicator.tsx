import type { LiveState } from '../../live/live-connection';
import { useLiveState } from '../../live/live-context';
import type { StateLabel } from '../../labels/state-label';
import classes from './live-indicator.module.css';
import { StateBadge } from '../../components/state-badge';

const WORDS: Record<LiveState, StateLabel> = {
  connecting: { tone: 'idle', word: 'Connecting…', meaning: 'Opening the live connection' },
  live: { tone: 'ok', word: 'Live', meaning: 'The page is up to date' },
  lost: {
    tone: 'warn',
    word: 'Connection to Switchboard lost, retrying…',
    meaning: 'Showing the last known data. It refreshes automatically.',
  },
};

/** Whether the page is fresh, in words, always in the same place. */
export function LiveIndicator() {
  const state = useLiveState();
  return (
    <output className={classes.indicator} data-state={state}>
      <StateBadge words={WORDS[state]} strong={state === 'lost'} />
    </output>
  );
}
