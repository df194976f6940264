import { createContext, useContext, useSyncExternalStore } from 'react';
import type { LiveConnection, LiveState } from './live-connection';

/** Provides the page's socket to the screens. */
export const LiveContext = createContext<LiveConnection | null>(null);

/** The page's only socket. */
export function useLive(): LiveConnection {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('The live connection is used outside of its provider.');
  return live;
}

/** Whether the page is up to date. */
export function useLiveState(): LiveState {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, () => live.state);
}
