import { onlineManager } from '@tanstack/react-query';

const listeners = new Set<() => void>();
let ended = false;

/**
 * Whether the login has ended under an open page. Until there is one again the page asks nothing of the daemon: its
 * queries stand still, as they would without a network, and go on by themselves.
 */
export const loginExpiry = {
  read: (): boolean => ended,

  /** Notes that the login has ended. @returns false where no page is open that could ask for another */
  report: (): boolean => {
    if (listeners.size === 0) return false;
    onlineManager.setOnline(false);
    update(true);
    return true;
  },

  /** There is a login again. */
  clear: (): void => {
    onlineManager.setOnline(true);
    update(false);
  },

  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && ended) loginExpiry.clear();
    };
  },
};

function update(now: boolean): void {
  if (ended === now) return;
  ended = now;
  for (const listener of listeners) listener();
}
