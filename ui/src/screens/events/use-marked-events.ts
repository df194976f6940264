import { useState } from 'react';
import type { EventSummary } from '@contract/event';

/** The events that are chosen to be compared; a third one replaces the first. */
export function useMarkedEvents() {
  const [marked, setMarked] = useState<readonly EventSummary[]>([]);
  const toggle = (event: EventSummary) =>
    setMarked((before) =>
      before.some(({ id }) => id === event.id)
        ? before.filter(({ id }) => id !== event.id)
        : [...before.slice(-1), event],
    );
  return {
    marked,
    toggle,
    clear: () => setMarked([]),
    has: (id: string) => marked.some((one) => one.id === id),
  };
}
