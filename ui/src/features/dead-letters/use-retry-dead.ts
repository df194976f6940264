import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { deliveryJobsQuery, retryDeadLetters } from '../../api/dead-letters';
import { healthQuery } from '../../api/health';
import { formatNoun } from '../../format/number';

/** Retries all dead letters of a target, and says how many are queued again. */
export function useRetryDead({ id, name }: Pick<Target, 'id' | 'name'>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => retryDeadLetters({ target: id }),
    onSuccess: ({ total }) => {
      notifications.show({ message: `${formatNoun(total, 'dead letter')} queued for ${name} again.` });
      return Promise.all(
        [healthQuery, deliveryJobsQuery].map(({ queryKey }) => cache.invalidateQueries({ queryKey })),
      );
    },
  });
}
