import type { StateLabel } from '../../labels/state-label';
import { StateBadge } from '../../components/state-badge';
import { localizeTimes } from '../../format/exact';
import classes from './state-description.module.css';

interface StateDescriptionProps {
  state: StateLabel;
  sentence: string;
  remedy: string | null;
}

/** A state, its meaning and its remedy, announced to screen readers when it changes. */
export function StateDescription({ state, sentence, remedy }: StateDescriptionProps) {
  return (
    <div className={classes.state} aria-live="polite" aria-atomic>
      <StateBadge state={state} strong />
      <p>{localizeTimes(sentence)}</p>
      {remedy !== null && <p className={classes.remedy}>{localizeTimes(remedy)}</p>}
    </div>
  );
}
