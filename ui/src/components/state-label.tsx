import type { StateWords } from '../labels/state-label';
import classes from './state-label.module.css';

/** A state: a dot for the eye, a word for everybody, its meaning on hover. */
export function StateWord({ words, strong = false }: { words: StateWords; strong?: boolean }) {
  return (
    <span
      className={classes.state}
      data-tone={words.tone}
      data-strong={strong || undefined}
      title={words.meaning}
    >
      <span className={classes.dot} aria-hidden />
      {words.word}
    </span>
  );
}
