import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { resumeTargets, testTarget } from '../../api/targets';
import { notifyFailure } from '../../components/notify-failure';

/** Test and resume a target. */
export function useTargetActions({ id, name }: Pick<Target, 'id' | 'name'>) {
  const cache = useQueryClient();
  const resume = useMutation({
    mutationFn: () => resumeTargets({ target_ids: [id] }),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['targets'] }),
    onError: notifyFailure(`Could not resume ${name}`),
  });
  const test = useMutation({ mutationFn: () => testTarget(id) });
  return { resume, test };
}
