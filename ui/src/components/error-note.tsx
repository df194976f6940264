import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../api/api-error';
import { localizeTimes } from '../format/exact';
import { MISSING_LABELS } from '../labels/missing-labels';
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
  // The daemon's remedy for what does not exist is a request to its API.
  const missing = MISSING_LABELS[known?.code ?? ''];
  return (
    <div className={classes.note} role="alert">
      <IconAlertTriangle size={18} aria-hidden className={classes.icon} />
      <div>
        <p className={classes.detail}>
          {localizeTimes(known?.detail ?? 'Something went wrong on this page.')}
        </p>
        <p>
          {remedy ??
            missing?.remedy ??
            invalidFields(known) ??
            known?.remedy ??
            'Reload the page. If the problem persists, check the daemon’s log.'}
        </p>
        {missing?.to !== undefined && (
          <Button mt="sm" renderRoot={(props) => <Link to={missing.to} {...props} />}>
            {missing.label}
          </Button>
        )}
        {retry !== undefined && known?.code === 'invalid_request' && (
          <Button mt="sm" renderRoot={(props) => <Link to="." search={{}} {...props} />}>
            Clear all filters
          </Button>
        )}
        {retry !== undefined && (known === null || known.isTransient) && (
          <Button mt="sm" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

/** Which fields of a request are invalid, and why; undefined if the daemon names none. */
const invalidFields = (error: ApiError | null): string | undefined =>
  error === null || error.fields.length === 0
    ? undefined
    : error.fields.map(({ path, message }) => `${path}: ${message}`).join('; ');
