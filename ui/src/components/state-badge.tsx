import type { StateLabel } from '../labels/state-label';
import classes from './state-badge.module.css';

/** A state: a dot for the eye, a word for everybody, its meaning on hover. */
export function StateBadge({ words, strong = false }: { words: StateLabel; strong?: boolean }) {
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
