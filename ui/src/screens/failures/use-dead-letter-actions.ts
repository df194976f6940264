import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import type { Delivery } from '@contract/delivery';
import { focusAfter } from '../../components/focus-after';
import type { RetryRequest } from '../../features/dead-letters/retry-dialog';
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

/** Why nothing can be retried at present. */
export const ONE_AT_A_TIME = 'A retry or discard is running: only one runs at a time.';

const NONE: DiscardRequest = { count: 0, selection: { ids: [] }, blockedLanes: 0 };
const NO_RETRY: RetryRequest = { count: 0, selection: { ids: [] }, targets: [], first: '' };

/** The selection and the actions on dead letters. `focusRef` receives the focus when rows disappear. */
export function useDeadLetterActions(focusRef: RefObject<HTMLElement | null>) {
  const cache = useQueryClient();
  const [selected, setSelected] = useState<ReadonlyMap<string, Delivery>>(new Map());
  const [jobs, setJobs] = useState<readonly string[]>([]);
  const [message, setMessage] = useState<string | null>(null);
  const [discardRequest, setDiscardRequest] = useState<DiscardRequest>(NONE);
  const [open, setOpen] = useState(false);
  const [retryRequest, setRetryRequest] = useState<RetryRequest>(NO_RETRY);
  const [retrying, setRetrying] = useState(false);

  const finish = (text: string | null) => {
    setMessage(text);
    const refresh = Promise.all([
      cache.invalidateQueries({ queryKey: ['deliveries'] }),
      cache.invalidateQueries({ queryKey: deliveryJobsQuery.queryKey }),
    ]);
    return focusAfter(refresh, () => focusRef.current?.focus({ preventScroll: true }));
  };
  const trackJob = (id: string) => {
    setJobs((before) => [...before, id]);
    setSelected(new Map());
    return finish(null);
  };
  const deselect = (id: string) =>
    setSelected((before) => new Map([...before].filter(([one]) => one !== id)));

  const selectAll = (letters: readonly Delivery[], on: boolean) => {
    const ids = new Set(letters.map(({ id }) => id));
    const others = [...selected].filter(([id]) => !ids.has(id));
    setSelected(new Map(on ? [...others, ...letters.map((letter) => [letter.id, letter] as const)] : others));
  };

  const retryOne = useMutation({
    mutationFn: ({ id }: Delivery) => retryDelivery(id),
    onSuccess: (retried, { id, target_name: target }) => {
      deselect(id);
      const order = retried.out_of_order ? ', out of order' : '';
      return finish(`${retried.event_type} was queued for ${target} again${order}.`);
    },
  });
  const retryMany = useMutation({
    mutationFn: retryDeadLetters,
    onSuccess: ({ id }) => {
      setRetrying(false);
      return trackJob(id);
    },
  });
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
    select: (letter: Delivery, on: boolean) => selectAll([letter], on),
    selectAll,
    selectNone: () => setSelected(new Map()),
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
    /** What the retry dialog asks about; kept while the dialog closes. */
    retryRequest,
    retrying,
    askToRetry: (request: RetryRequest) => {
      retryMany.reset();
      setRetryRequest(request);
      setRetrying(true);
    },
    closeRetry: () => setRetrying(false),
    refreshList: () => void cache.invalidateQueries({ queryKey: ['deliveries'] }),
    jobs,
    dismissJob: (id: string) => setJobs(jobs.filter((one) => one !== id)),
    message,
    error: retryOne.error,
  };
}

export type DeadLetterActions = ReturnType<typeof useDeadLetterActions>;
