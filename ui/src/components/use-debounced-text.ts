import { useEffect, useRef, useState } from 'react';

const DEBOUNCE_MS = 500;

/** The text of a field, committed when typing pauses or the field loses focus. An outside change wins. */
export function useDebouncedText(value: string, onSettle: (text: string) => void) {
  const [draft, setDraft] = useState(value);
  const [before, setBefore] = useState(value);
  const [committed, setCommitted] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (value !== before) {
    setBefore(value);
    if (value !== committed) setDraft(value);
  }
  const commit = (text: string) => {
    clearTimeout(timer.current);
    if (text === value) return;
    setCommitted(text);
    onSettle(text);
  };
  const change = (text: string) => {
    setDraft(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(text), DEBOUNCE_MS);
  };
  return { draft, change, commitNow: () => commit(draft) };
}
