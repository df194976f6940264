import type { LiveState } from '../../live/live-connection';
import { useLiveState } from '../../live/live-context';
import type { StateWords } from '../../labels/state-label';
import classes from './live-indicator.module.css';
import { StateWord } from '../../components/state-label';

const WORDS: Record<LiveState, StateWords> = {
  connecting: { tone: 'idle', word: 'Connecting…', meaning: 'The live connection is being opened' },
  live: { tone: 'ok', word: 'Live', meaning: 'What you see is up to date' },
  lost: {
    tone: 'warn',
    word: 'Connection to Switchboard lost, retrying…',
    meaning: 'What you see may be old. It will be brought up to date by itself.',
  },
};

/** Whether the page is fresh, in words, always in the same place. */
export function LiveIndicator() {
  const state = useLiveState();
  return (
    <output className={classes.indicator} data-state={state}>
      <StateWord words={WORDS[state]} strong={state === 'lost'} />
    </output>
  );
}
