import { useEffect, useRef, type KeyboardEvent } from 'react';

interface Options {
  /** The text that the shown results are of; undefined while they are being loaded. */
  shownText: string | undefined;
  enter: () => void;
  /** Opens the first result. */
  open: () => void;
}

/**
 * Moves from the search field to its results, once those of the typed text are shown. A second Enter before that opens
 * the first result, as it does afterwards.
 */
export function useEnterResults({ shownText, enter, open }: Options) {
  const wanted = useRef<{ text: string; opens: boolean } | null>(null);
  useEffect(() => {
    if (shownText === undefined || wanted.current?.text !== shownText) return;
    const { opens } = wanted.current;
    wanted.current = null;
    enter();
    if (opens) open();
  }, [shownText, enter, open]);
  return (text: string, { key, repeat }: KeyboardEvent) => {
    if (repeat) return;
    if (text === shownText) enter();
    else wanted.current = { text, opens: key === 'Enter' && wanted.current?.text === text };
  };
}
