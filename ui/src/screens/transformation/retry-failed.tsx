import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { deadLetterCausesQuery, failedUntil, retryDeadLetters } from '../../api/dead-letters';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { formatCount, formatNoun } from '../../format/number';

/** Retries the dead letters with which the expression of a target has failed; nothing if there are none. */
export function RetryFailed({ target }: { target: string }) {
  const failed = { target, error: 'transform_failed' };
  const { data: causes = [] } = useQuery(deadLetterCausesQuery(failed));
  const count = causes.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const retry = useMutation({
    mutationFn: () => retryDeadLetters({ ...failed, ...failedUntil(causes) }),
    onSuccess: ({ total }) =>
      notifications.show({ message: `Retrying ${formatNoun(total, 'dead letter')}.` }),
  });
  if (count === 0) return null;
  return (
    <>
      <ActionButton pending={retry.isPending} action={() => retry.mutate()}>
        Retry the {formatCount(count)} that failed
      </ActionButton>
      {retry.error !== null && <ErrorNote error={retry.error} />}
    </>
  );
}
