import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { use, useEffect, useState, useSyncExternalStore } from 'react';
import { sessionQuery } from '../../api/session';
import { ErrorNote } from '../../components/error-note';
import { Screen } from '../../components/screen';
import { LiveContext } from '../../live/live-context';
import { ScreenNotLoaded } from './lazy-screen';

/** What stands in place of a screen that failed. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  if (error instanceof ScreenNotLoaded) return <NotLoaded />;
  return (
    <Screen title="Something went wrong">
      <ErrorNote error={error} retry={reset} />
    </Screen>
  );
}

/**
 * Reloads the page once the connection is back. A second import would not do: browsers remember that the first failed,
 * and after an upgrade the file has another name.
 */
function NotLoaded() {
  const cache = useQueryClient();
  const live = use(LiveContext);
  const [isRefused, setRefused] = useState(false);
  const isLive = useSyncExternalStore(
    live?.subscribe ?? (() => () => undefined),
    () => live?.state === 'live',
  );
  useEffect(() => {
    if (isLive) reloadOnce();
  }, [isLive]);
  const retry = async () => {
    try {
      await cache.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false });
      window.location.reload();
    } catch {
      setRefused(true);
    }
  };
  return (
    <Screen title="Screen not loaded">
      <p role="alert">
        {isLive
          ? 'This screen could not be loaded from Switchboard. If it was just upgraded, reload the page.'
          : 'This screen was not loaded yet when the connection to Switchboard was lost. It opens by itself once Switchboard responds again.'}
      </p>
      {isRefused && <p role="alert">Switchboard still does not respond.</p>}
      <div>
        <Button onClick={() => void retry()}>Try again</Button>
      </div>
    </Screen>
  );
}

const RELOADED_AT = 'switchboard-reloaded-at';
const RELOAD_AGAIN_AFTER_MS = 30_000;

/** Not in a loop, if the file is missing after the reload as well. */
function reloadOnce(): void {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_AGAIN_AFTER_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    window.location.reload();
  } catch {
    // Without storage nothing would stop the loop, so the user reloads.
  }
}
