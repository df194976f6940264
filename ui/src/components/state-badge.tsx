import type { StateLabel } from '../labels/state-label';
import classes from './state-badge.module.css';

/** A state as a coloured dot and a label, with its description on hover. */
export function StateBadge({ state, strong = false }: { state: StateLabel; strong?: boolean }) {
  return (
    <span
      className={classes.state}
      data-tone={state.tone}
      data-strong={strong || undefined}
      title={state.description}
    >
      <span className={classes.dot} aria-hidden />
      {state.label}
    </span>
  );
}
