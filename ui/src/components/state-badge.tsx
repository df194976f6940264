import type { StateLabel } from '../labels/state-label';
import classes from './state-badge.module.css';

/** The tone of a state as a mark, whose shape tells it without its colour. */
export function StateMark({ tone }: Pick<StateLabel, 'tone'>) {
  return <span className={classes.mark} data-tone={tone} aria-hidden />;
}

/** A state as a mark and a label, with its description on hover. */
export function StateBadge({ state, strong = false }: { state: StateLabel; strong?: boolean }) {
  return (
    <span
      className={classes.state}
      data-tone={state.tone}
      data-strong={strong || undefined}
      title={state.description}
    >
      <StateMark tone={state.tone} />
      {state.label}
    </span>
  );
}
