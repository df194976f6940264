import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';

/** What a user does to scroll. */
const USER_EVENTS = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/**
 * Scrolls to the element that the URL names after `#`, and stays there while the content above it is still
 * loading, until the user scrolls.
 */
export function useHashTarget(): void {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  useEffect(() => {
    const main = document.querySelector('main');
    if (hash === '' || main === null) return undefined;
    const scroll = () => document.getElementById(hash)?.scrollIntoView();
    const observer = new ResizeObserver(scroll);
    for (const child of main.children) observer.observe(child);
    const stop = () => {
      observer.disconnect();
      for (const name of USER_EVENTS) removeEventListener(name, stop);
    };
    for (const name of USER_EVENTS) addEventListener(name, stop, { passive: true });
    return stop;
  }, [hash]);
}
