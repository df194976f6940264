import { onlineManager } from '@tanstack/react-query';

const watchers = new Set<() => void>();
let ended = false;

/**
 * Whether the login has ended under an open page. Until there is one again the page asks nothing of the daemon: its
 * queries stand still, as they would without a network, and go on by themselves.
 */
export const loginEnd = {
  read: (): boolean => ended,

  /** Notes that the login has ended. @returns false where no page is open that could ask for another */
  note: (): boolean => {
    if (watchers.size === 0) return false;
    onlineManager.setOnline(false);
    tell(true);
    return true;
  },

  /** There is a login again. */
  lift: (): void => {
    onlineManager.setOnline(true);
    tell(false);
  },

  watch: (hear: () => void): (() => void) => {
    watchers.add(hear);
    return () => {
      watchers.delete(hear);
      if (watchers.size === 0 && ended) loginEnd.lift();
    };
  },
};

function tell(now: boolean): void {
  if (ended === now) return;
  ended = now;
  for (const hear of watchers) hear();
}
