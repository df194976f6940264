import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '../../../../src/contract/target';
import { pauseTarget, resumeTarget, testTarget } from '../../api/targets';
import { notifyFailure } from '../../components/notify-failure';

/** What can be done with a target from wherever it is shown. */
export function useTargetActions({ id, name }: Pick<Target, 'id' | 'name'>) {
  const cache = useQueryClient();
  const refresh = () => cache.invalidateQueries({ queryKey: ['targets'] });
  const pause = useMutation({
    mutationFn: () => pauseTarget(id),
    onSuccess: refresh,
    onError: notifyFailure(`${name} was not paused`),
  });
  const resume = useMutation({
    mutationFn: () => resumeTarget(id),
    onSuccess: refresh,
    onError: notifyFailure(`${name} was not resumed`),
  });
  const test = useMutation({ mutationFn: () => testTarget(id) });
  return { pause, resume, test };
}
