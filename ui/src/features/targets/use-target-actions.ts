import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { pauseTarget, resumeTarget, testTarget } from '../../api/targets';
import { notifyFailure } from '../../components/notify-failure';

/** Test, pause and resume a target. */
export function useTargetActions({ id, name }: Pick<Target, 'id' | 'name'>) {
  const cache = useQueryClient();
  const refresh = () => cache.invalidateQueries({ queryKey: ['targets'] });
  const pause = useMutation({
    mutationFn: () => pauseTarget(id),
    onSuccess: refresh,
    onError: notifyFailure(`Could not pause ${name}`),
  });
  const resume = useMutation({
    mutationFn: () => resumeTarget(id),
    onSuccess: refresh,
    onError: notifyFailure(`Could not resume ${name}`),
  });
  const test = useMutation({ mutationFn: () => testTarget(id) });
  return { pause, resume, test };
}
