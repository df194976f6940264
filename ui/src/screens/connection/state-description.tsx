import type { StateLabel } from '../../labels/state-label';
import { StateBadge } from '../../components/state-badge';
import { localizeTimes } from '../../format/local-times';
import classes from './state-description.module.css';

interface StateDescriptionProps {
  state: StateLabel;
  sentence: string;
  remedy: string | null;
}

/** A state, what it means, and what to do about it; said aloud when it changes. */
export function StateDescription({ state, sentence, remedy }: StateDescriptionProps) {
  return (
    <div className={classes.state} aria-live="polite" aria-atomic>
      <StateBadge state={state} strong />
      <p>{localizeTimes(sentence)}</p>
      {remedy !== null && <p className={classes.remedy}>{localizeTimes(remedy)}</p>}
    </div>
  );
}
