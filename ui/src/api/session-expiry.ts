import { onlineManager } from '@tanstack/react-query';

const listeners = new Set<() => void>();
let isExpired = false;
let isEnding = false;

/**
 * Whether the session expired while a page was open. Until the next sign-in, queries are paused as if the
 * page were offline.
 */
export const sessionExpiry = {
  read: (): boolean => isExpired,

  /** Reports that the session has expired. @returns false if no page is open that can show the sign-in form */
  report: (): boolean => {
    if (listeners.size === 0) return false;
    if (isEnding) return true;
    onlineManager.setOnline(false);
    update(true);
    return true;
  },

  /** While a user signs out, requests that are still sent are refused: that is no expiry. */
  setEnding: (next: boolean): void => {
    isEnding = next;
  },

  /** Reports that there is a session again. */
  clear: (): void => {
    onlineManager.setOnline(true);
    update(false);
  },

  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && isExpired) sessionExpiry.clear();
    };
  },
};

function update(next: boolean): void {
  if (isExpired === next) return;
  isExpired = next;
  for (const listener of listeners) listener();
}
