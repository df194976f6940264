import { useCallback, useState } from 'react';
import type { EventSummary } from '@contract/event';

/** The sequences of the events fit into the URL of an export. */
const MAX_MARKED = 200;

/** The events that are chosen to be replayed, exported or compared, also when the list no longer shows them. */
export function useMarkedEvents() {
  const [marked, setMarked] = useState<readonly EventSummary[]>([]);
  const toggle = useCallback(
    (event: EventSummary) =>
      setMarked((before) =>
        before.some(({ id }) => id === event.id)
          ? before.filter(({ id }) => id !== event.id)
          : [...before, event].slice(0, MAX_MARKED),
      ),
    [],
  );
  return {
    marked,
    toggle,
    isFull: marked.length === MAX_MARKED,
    clear: () => setMarked([]),
    has: (id: string) => marked.some((one) => one.id === id),
  };
}
