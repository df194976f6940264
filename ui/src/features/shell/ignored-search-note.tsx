import { Button } from '@mantine/core';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { Mono } from '../../components/mono';
import { ignoredSearch } from '../../search/ignored-search';
import { parseSearch } from '../../search/query-string';
import classes from './ignored-search-note.module.css';

/** As the page was opened: the router then removes from its URL what the screen cannot use. */
const OPENED = { pathname: window.location.pathname, search: window.location.search };

/**
 * What the screen could not use of the URL with which the page was opened, until it is dismissed or another screen is
 * opened.
 */
export function useIgnoredSearch(): [ignored: readonly string[], dismiss: () => void] {
  const router = useRouter();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const [ignored, setIgnored] = useState(() =>
    pathname === OPENED.pathname
      ? ignoredSearch(parseSearch(OPENED.search), router.state.matches.at(-1)?.search ?? {})
      : [],
  );
  if (ignored.length > 0 && pathname !== OPENED.pathname) setIgnored([]);
  return [ignored, () => setIgnored([])];
}

/** Says that the screen shows more than its URL said. */
export function IgnoredSearchNote({ ignored, dismiss }: { ignored: readonly string[]; dismiss: () => void }) {
  if (ignored.length === 0) return null;
  return (
    <div className={classes.note} role="alert">
      <p>
        The address contained values that are not valid here, and they were left out:{' '}
        <Mono>{ignored.join(', ')}</Mono>
      </p>
      <Button onClick={dismiss}>OK</Button>
    </div>
  );
}
