import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import type { Delivery } from '@contract/delivery';
import {
  deliveryJobsQuery,
  discardDeadLetters,
  discardDelivery,
  retryDeadLetters,
  retryDelivery,
  type DeadLetterSelection,
} from '../../api/dead-letters';

/** The dead letters that the dialog asks about. */
export interface DiscardRequest {
  count: number;
  /** Set for a single dead letter, which is discarded without a background job. */
  single?: Delivery;
  selection: DeadLetterSelection;
  blockedLanes: number;
}

const NONE: DiscardRequest = { count: 0, selection: { ids: [] }, blockedLanes: 0 };

/** The selection and the actions on dead letters. `focusRef` receives the focus when rows disappear. */
export function useDeadLetterActions(focusRef: RefObject<HTMLElement | null>) {
  const cache = useQueryClient();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [jobs, setJobs] = useState<readonly string[]>([]);
  const [message, setMessage] = useState<string | null>(null);
  const [discardRequest, setDiscardRequest] = useState<DiscardRequest>(NONE);
  const [open, setOpen] = useState(false);

  const finish = async (text: string | null) => {
    setMessage(text);
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['deliveries'] }),
      cache.invalidateQueries({ queryKey: deliveryJobsQuery.queryKey }),
    ]);
    // After the dialog has returned the focus to its button, which may be gone.
    focusRef.current?.focus({ preventScroll: true });
  };
  const trackJob = (id: string) => {
    setJobs((before) => [...before, id]);
    setSelected(new Set());
    return finish(null);
  };
  const deselect = (id: string) => setSelected((before) => new Set([...before].filter((one) => one !== id)));

  const selectMany = (ids: readonly string[], on: boolean) => {
    const others = [...selected].filter((id) => !ids.includes(id));
    setSelected(new Set(on ? [...others, ...ids] : others));
  };

  const retryOne = useMutation({
    mutationFn: ({ id }: Delivery) => retryDelivery(id),
    onSuccess: (retried, { id, target_name: target }) => {
      deselect(id);
      const order = retried.out_of_order ? ', out of order' : '';
      return finish(`${retried.event_type} was queued for ${target} again${order}.`);
    },
  });
  const retryMany = useMutation({ mutationFn: retryDeadLetters, onSuccess: ({ id }) => trackJob(id) });
  const discard = useMutation({
    mutationFn: async ({ request, reason }: { request: DiscardRequest; reason: string }) => {
      if (request.single === undefined) return discardDeadLetters(request.selection, reason);
      await discardDelivery(request.single.id, reason);
      return null;
    },
    onSuccess: (job, { request }) => {
      setOpen(false);
      if (job !== null) return trackJob(job.id);
      deselect(request.single?.id ?? '');
      return finish(`${request.single?.event_type} for ${request.single?.target_name} was discarded.`);
    },
  });
  return {
    selected,
    select: (id: string, on: boolean) => selectMany([id], on),
    selectAll: (letters: readonly Delivery[], on: boolean) =>
      selectMany(
        letters.map(({ id }) => id),
        on,
      ),
    selectNone: () => setSelected(new Set()),
    retryOne,
    retryMany,
    discard,
    /** What the dialog asks about; kept while the dialog closes. */
    discardRequest,
    open,
    askToDiscard: (request: DiscardRequest) => {
      discard.reset();
      setDiscardRequest(request);
      setOpen(true);
    },
    closeDialog: () => setOpen(false),
    jobs,
    dismissJob: (id: string) => setJobs(jobs.filter((one) => one !== id)),
    message,
    error: retryOne.error ?? retryMany.error,
  };
}

export type DeadLetterActions = ReturnType<typeof useDeadLetterActions>;
