import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import type { Delivery } from '../../../../src/contract/delivery';
import {
  deliveryJobsQuery,
  discardDeadLetters,
  discardDelivery,
  retryDeadLetters,
  retryDelivery,
  type DeadLetterSelection,
} from '../../api/dead-letters';

/** What the open dialog asks to discard. */
export interface Discarding {
  count: number;
  /** One alone is discarded at once. */
  one?: Delivery;
  selection: DeadLetterSelection;
  stopLanes: number;
}

const NOTHING: Discarding = { count: 0, selection: { ids: [] }, stopLanes: 0 };

/** The selection and the actions on dead letters. `focusRef` receives the focus when rows disappear. */
export function useDeadLetterActions(focusRef: RefObject<HTMLElement | null>) {
  const cache = useQueryClient();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [jobs, setJobs] = useState<readonly string[]>([]);
  const [message, setMessage] = useState<string | null>(null);
  const [discarding, setDiscarding] = useState<Discarding>(NOTHING);
  const [open, setOpen] = useState(false);

  const finish = async (text: string | null) => {
    setMessage(text);
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['deliveries'] }),
      cache.invalidateQueries({ queryKey: deliveryJobsQuery.queryKey }),
    ]);
    // Last of all: a dialog gives the focus back to its button, which goes with what was dealt with.
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
    onSuccess: (made, { id, target_name: target }) => {
      deselect(id);
      const order = made.out_of_order ? ', out of order' : '';
      return finish(`${made.event_type} was queued for ${target} again${order}.`);
    },
  });
  const retryMany = useMutation({ mutationFn: retryDeadLetters, onSuccess: ({ id }) => trackJob(id) });
  const discard = useMutation({
    mutationFn: async ({ what, reason }: { what: Discarding; reason: string }) => {
      if (what.one === undefined) return discardDeadLetters(what.selection, reason);
      await discardDelivery(what.one.id, reason);
      return null;
    },
    onSuccess: (job, { what }) => {
      setOpen(false);
      if (job !== null) return trackJob(job.id);
      deselect(what.one?.id ?? '');
      return finish(`${what.one?.event_type} for ${what.one?.target_name} was discarded.`);
    },
  });
  return {
    chosen: selected,
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
    /** What is asked about; it stays while the dialog fades. */
    discarding,
    open,
    askToDiscard: (what: Discarding) => {
      discard.reset();
      setDiscarding(what);
      setOpen(true);
    },
    closeDialog: () => setOpen(false),
    jobs,
    dismissJob: (id: string) => setJobs(jobs.filter((one) => one !== id)),
    told: message,
    error: retryOne.error ?? retryMany.error,
  };
}

export type DeadLetterActions = ReturnType<typeof useDeadLetterActions>;
