import type { UseMutationResult } from '@tanstack/react-query';
import type { TestOutcome } from '@contract/target-test';
import { ApiError } from '../../api/api-error';
import { errorLabel, statusLabel } from '../../labels/delivery-labels';
import { formatMilliseconds } from '../../format/number';
import { ErrorNote } from '../../components/error-note';
import classes from './test-result.module.css';

/** Validation errors of an unsaved target, as the remedy. */
function remedyOf(error: Error): { remedy?: string } {
  if (!(error instanceof ApiError) || error.fields.length === 0) return {};
  return { remedy: `${error.fields.map(({ path, message }) => `${path}: ${message}`).join('; ')}.` };
}

/** The outcome of a test, announced to screen readers. */
export function TestResult({ test: { data, error } }: { test: UseMutationResult<TestOutcome, Error, void> }) {
  return (
    <div aria-live="polite" className={classes.place}>
      {error !== null && <ErrorNote error={error} {...remedyOf(error)} />}
      {data !== undefined && (
        <div className={classes.result} data-ok={data.delivered || undefined}>
          <p>
            <strong>{data.delivered ? 'Test delivered' : 'Test failed'}</strong>
            {': '}
            {data.status === null ? errorLabel(data.error ?? 'network') : statusLabel(data.status)},{' '}
            {formatMilliseconds(data.duration_ms)}.
            {data.status !== null &&
              data.error !== null &&
              data.error !== 'http_status' &&
              ` ${errorLabel(data.error)}.`}
          </p>
          {data.excerpt !== null && data.excerpt !== '' && (
            <pre className={classes.excerpt}>{data.excerpt}</pre>
          )}
        </div>
      )}
    </div>
  );
}
