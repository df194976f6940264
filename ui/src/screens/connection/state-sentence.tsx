import type { StateWords } from '../../text/tone';
import { StateWord } from '../../components/state-word';
import classes from './state-sentence.module.css';

interface StateSentenceProps {
  words: StateWords;
  sentence: string;
  remedy?: string | null;
}

/** A state, what it means, and what to do about it. */
export function StateSentence({ words, sentence, remedy = null }: StateSentenceProps) {
  return (
    <div className={classes.state}>
      <StateWord words={words} strong />
      <p>{sentence}</p>
      {remedy !== null && <p className={classes.remedy}>{remedy}</p>}
    </div>
  );
}
