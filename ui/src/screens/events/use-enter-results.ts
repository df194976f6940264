import { useEffect, useRef } from 'react';

interface Options {
  /** The text that the shown results are of; undefined while they are being loaded. */
  shownText: string | undefined;
  enter: () => void;
}

/** Moves from the search field to its results, once those of the typed text are shown. */
export function useEnterResults({ shownText, enter }: Options): (text: string) => void {
  const wantedText = useRef<string | null>(null);
  useEffect(() => {
    if (shownText === undefined || wantedText.current !== shownText) return;
    wantedText.current = null;
    enter();
  }, [shownText, enter]);
  return (text) => {
    if (text === shownText) enter();
    else wantedText.current = text;
  };
}
