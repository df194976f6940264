import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { keepScrolled } from './keep-scrolled';

/** The scroll offset of `main`, by the key of the history entry. */
const offsets = new Map<string, number>();

/** Remembers how far each screen is scrolled when the user leaves it. */
export function useSavedScroll(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
        const { __TSR_key: key } = fromLocation?.state ?? {};
        const main = document.querySelector('main');
        if (key !== undefined && main !== null) offsets.set(key, main.scrollTop);
      }),
    [router],
  );
}

/** Scrolls a screen to where it was when the user returns to it. */
export function useScrollRestoration(): void {
  const router = useRouter();
  useEffect(() => {
    const { hash, state } = router.latestLocation;
    const { __TSR_key: key = '' } = state;
    const top = offsets.get(key);
    const main = document.querySelector('main');
    if (top === undefined || main === null || hash !== '') return undefined;
    return keepScrolled(main, () => main.scrollTo({ top }));
  }, [router]);
}
