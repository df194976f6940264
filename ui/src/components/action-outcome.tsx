import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode, Ref } from 'react';
import classes from './action-outcome.module.css';
import { ErrorNote } from './error-note';

interface ActionOutcomeProps {
  /** What was done, once it is. */
  done: ReactNode;
  /** Whether what was done did not achieve all that was wanted. */
  isPartial?: boolean;
  error?: unknown;
  /** Receives the focus when the button of the action disappears. */
  focusRef?: Ref<HTMLDivElement>;
}

/** The outcome of an action, announced to screen readers. */
export function ActionOutcome({ done, isPartial = false, error = null, focusRef }: ActionOutcomeProps) {
  const isDone = done !== null && done !== undefined && error === null;
  const Icon = isPartial ? IconAlertTriangle : IconCircleCheck;
  return (
    <div ref={focusRef} tabIndex={-1} aria-live="polite" className={classes.place}>
      {error !== null && <ErrorNote error={error} />}
      {isDone && (
        <p className={classes.done} data-tone={isPartial ? 'warn' : 'ok'}>
          <Icon size={16} aria-hidden className={classes.icon} />
          <span>{done}</span>
        </p>
      )}
    </div>
  );
}
