import { IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode, Ref } from 'react';
import classes from './action-outcome.module.css';
import { ErrorNote } from './error-note';

interface ActionOutcomeProps {
  /** What was done, once it is. */
  done: ReactNode;
  error?: unknown;
  /** Receives the focus when the button of the action disappears. */
  focusRef?: Ref<HTMLDivElement>;
}

/** The outcome of an action, announced to screen readers. */
export function ActionOutcome({ done, error = null, focusRef }: ActionOutcomeProps) {
  const isSuccess = done !== null && done !== undefined && error === null;
  return (
    <div ref={focusRef} tabIndex={-1} aria-live="polite" className={classes.place}>
      {error !== null && <ErrorNote error={error} />}
      {isSuccess && (
        <p className={classes.done}>
          <IconCircleCheck size={16} aria-hidden className={classes.icon} />
          <span>{done}</span>
        </p>
      )}
    </div>
  );
}
