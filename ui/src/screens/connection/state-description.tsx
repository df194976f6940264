import type { StateWords } from '../../labels/state-label';
import { StateWord } from '../../components/state-label';
import { withLocalTimes } from '../../format/local-times';
import classes from './state-description.module.css';

interface StateSentenceProps {
  words: StateWords;
  sentence: string;
  remedy: string | null;
}

/** A state, what it means, and what to do about it; said aloud when it changes. */
export function StateSentence({ words, sentence, remedy }: StateSentenceProps) {
  return (
    <div className={classes.state} aria-live="polite" aria-atomic>
      <StateWord words={words} strong />
      <p>{withLocalTimes(sentence)}</p>
      {remedy !== null && <p className={classes.remedy}>{withLocalTimes(remedy)}</p>}
    </div>
  );
}
