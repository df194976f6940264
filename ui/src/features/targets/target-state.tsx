import type { Target } from '@contract/target';
import { StateBadge } from '../../components/state-badge';
import { targetLabels } from '../../labels/target-labels';
import classes from './target-state.module.css';

/** The states of a target: the most important one, the others smaller beside it. */
export function TargetState({ target, strong = false }: { target: Target; strong?: boolean }) {
  const [main, ...others] = targetLabels(target);
  return (
    <span className={classes.states}>
      {main !== undefined && <StateBadge state={main} strong={strong} />}
      {others.map((state) => (
        <span key={state.label} className={classes.other} data-tone={state.tone} title={state.description}>
          {state.label}
        </span>
      ))}
    </span>
  );
}
