import { useRouter, type RouterHistory } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useDefaultView } from '../saved-views/default-views';
import { isShortcut } from '../../components/use-shortcuts';

/** Screens by the key pressed after `g`. */
export const NAVIGATION_KEYS = [
  { key: 'o', name: 'Overview', to: '/' },
  { key: 'l', name: 'Live', to: '/live' },
  { key: 'e', name: 'Events', to: '/events' },
  { key: 'n', name: 'Entities', to: '/entities' },
  { key: 't', name: 'Targets', to: '/targets' },
  { key: 'f', name: 'Failures', to: '/failures' },
  { key: 'r', name: 'Replays', to: '/replays' },
  { key: 'k', name: 'Contract', to: '/contract' },
  { key: 'c', name: 'Connection', to: '/connection' },
  { key: 's', name: 'Settings', to: '/settings' },
  { key: 'x', name: 'Sandbox (demo only)', to: '/sandbox' },
] as const;

/** The second key must follow within this time. */
const SEQUENCE_TIMEOUT_MS = 1_500;
/** The search screen, for screens without a search field. */
const SEARCH_PATH = '/events';
const SEARCH_FIELD = 'main [data-search], main input[type=search]';

/** `g` and a letter open a screen; `/` opens the search unless the screen handles it. */
export function useNavigationKeys(): void {
  const router = useRouter();
  const defaultOf = useDefaultView();
  useEffect(() => {
    let startedAt = -Infinity;
    // In the capture phase: a letter after `g` is not a shortcut of the screen.
    const onKeyDownCapture = (press: KeyboardEvent) => {
      const isSecondKey = press.timeStamp - startedAt < SEQUENCE_TIMEOUT_MS;
      startedAt = -Infinity;
      if (!isShortcut(press)) return;
      const match = isSecondKey ? NAVIGATION_KEYS.find(({ key }) => key === press.key) : undefined;
      if (match !== undefined) {
        press.preventDefault();
        press.stopPropagation();
        router.history.push(defaultOf(match.to)?.address ?? match.to);
      } else if (press.key === 'g') startedAt = press.timeStamp;
    };
    const onKeyDown = (press: KeyboardEvent) => {
      if (press.key !== '/' || press.defaultPrevented || !isShortcut(press)) return;
      press.preventDefault();
      router.history.push(SEARCH_PATH);
      focusSearch(router.history);
    };
    window.addEventListener('keydown', onKeyDownCapture, { capture: true });
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('keydown', onKeyDownCapture, { capture: true });
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [router, defaultOf]);
}

/** Focuses the search field once its screen is rendered, unless another one is opened before. */
function focusSearch(history: RouterHistory): void {
  const tryFocus = () => {
    if (history.location.pathname !== SEARCH_PATH) return;
    const field = document.querySelector<HTMLElement>(SEARCH_FIELD);
    if (field !== null) field.focus();
    else requestAnimationFrame(tryFocus);
  };
  requestAnimationFrame(tryFocus);
}
