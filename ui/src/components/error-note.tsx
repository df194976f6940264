import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/api-error';
import { localizeTimes } from '../format/exact';
import classes from './error-note.module.css';

interface ErrorNoteProps {
  error: unknown;
  retry?: (() => void) | undefined;
  /** Replaces the daemon's remedy, which is also written for scripts. */
  remedy?: string;
}

/** An error and its remedy. */
export function ErrorNote({ error, retry, remedy }: ErrorNoteProps) {
  const known = error instanceof ApiError ? error : null;
  return (
    <div className={classes.note} role="alert">
      <IconAlertTriangle size={18} aria-hidden className={classes.icon} />
      <div>
        <p className={classes.detail}>
          {localizeTimes(known?.detail ?? 'Something went wrong on this page.')}
        </p>
        <p>
          {remedy ?? known?.remedy ?? 'Reload the page. If the problem persists, check the daemon’s log.'}
        </p>
        {retry !== undefined && (known === null || known.isTransient) && (
          <Button mt="sm" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
