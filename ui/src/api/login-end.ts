import { onlineManager } from '@tanstack/react-query';

const listeners = new Set<() => void>();
let ended = false;

/**
 * Whether the session has expired while a page is open. Until the next login, queries are paused as if the
 * page were offline; then they resume.
 */
export const loginExpiry = {
  read: (): boolean => ended,

  /** Reports that the session has expired. @returns false if no page is open that could show a login */
  report: (): boolean => {
    if (listeners.size === 0) return false;
    onlineManager.setOnline(false);
    update(true);
    return true;
  },

  /** There is a session again. */
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
