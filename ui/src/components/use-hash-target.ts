import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { keepScrolled } from './keep-scrolled';

/** Scrolls to the element that the URL names after `#`. */
export function useHashTarget(): void {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  useEffect(() => {
    const main = document.querySelector('main');
    if (hash === '' || main === null) return undefined;
    return keepScrolled(main, () => document.getElementById(hash)?.scrollIntoView());
  }, [hash]);
}
