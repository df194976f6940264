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

/** What is to be discarded, once a reason is given. */
export interface Discarding {
  count: number;
  /** One alone is discarded at once. */
  one?: Delivery;
  selection: DeadLetterSelection;
  stopLanes: number;
}

const NOTHING: Discarding = { count: 0, selection: { ids: [] }, stopLanes: 0 };

/** Which letters are chosen, and everything that can be done with them. `place` takes the focus of what goes away. */
export function useDeadLetterActions(place: RefObject<HTMLElement | null>) {
  const cache = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [jobs, setJobs] = useState<readonly string[]>([]);
  const [told, setTold] = useState<string | null>(null);
  const [discarding, setDiscarding] = useState<Discarding>(NOTHING);
  const [open, setOpen] = useState(false);

  const after = async (words: string | null) => {
    setTold(words);
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['deliveries'] }),
      cache.invalidateQueries({ queryKey: deliveryJobsQuery.queryKey }),
    ]);
    // Last of all: a dialog gives the focus back to its button, which goes with what was dealt with.
    place.current?.focus({ preventScroll: true });
  };
  const follow = (id: string) => {
    setJobs((before) => [...before, id]);
    setChosen(new Set());
    return after(null);
  };
  const forget = (id: string) => setChosen((before) => new Set([...before].filter((one) => one !== id)));

  const chooseThese = (ids: readonly string[], on: boolean) => {
    const others = [...chosen].filter((id) => !ids.includes(id));
    setChosen(new Set(on ? [...others, ...ids] : others));
  };

  const retryOne = useMutation({
    mutationFn: ({ id }: Delivery) => retryDelivery(id),
    onSuccess: (made, { id, target_name: target }) => {
      forget(id);
      const order = made.out_of_order ? ', out of order' : '';
      return after(`${made.event_type} was queued for ${target} again${order}.`);
    },
  });
  const retryMany = useMutation({ mutationFn: retryDeadLetters, onSuccess: ({ id }) => follow(id) });
  const discard = useMutation({
    mutationFn: async ({ what, reason }: { what: Discarding; reason: string }) => {
      if (what.one === undefined) return discardDeadLetters(what.selection, reason);
      await discardDelivery(what.one.id, reason);
      return null;
    },
    onSuccess: (job, { what }) => {
      setOpen(false);
      if (job !== null) return follow(job.id);
      forget(what.one?.id ?? '');
      return after(`${what.one?.event_type} for ${what.one?.target_name} was discarded.`);
    },
  });
  return {
    chosen,
    choose: (id: string, on: boolean) => chooseThese([id], on),
    chooseAll: (letters: readonly Delivery[], on: boolean) =>
      chooseThese(
        letters.map(({ id }) => id),
        on,
      ),
    chooseNone: () => setChosen(new Set()),
    retryOne,
    retryMany,
    discard,
    /** What is asked about; it stays while the dialog fades. */
    discarding,
    open,
    ask: (what: Discarding) => {
      discard.reset();
      setDiscarding(what);
      setOpen(true);
    },
    leave: () => setOpen(false),
    jobs,
    forgetJob: (id: string) => setJobs(jobs.filter((one) => one !== id)),
    told,
    error: retryOne.error ?? retryMany.error,
  };
}

export type DeadLetterActions = ReturnType<typeof useDeadLetterActions>;
