import { useEffect, useRef, useState } from 'react';

const REST_MS = 500;

/** A field's text, which becomes its value once typing rests or the field is left; a value from elsewhere wins. */
export function useSettled(value: string, settle: (text: string) => void) {
  const [draft, setDraft] = useState(value);
  const [before, setBefore] = useState(value);
  const [settled, setSettled] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (value !== before) {
    setBefore(value);
    if (value !== settled) setDraft(value);
  }
  const settleNow = (text: string) => {
    clearTimeout(timer.current);
    if (text === value) return;
    setSettled(text);
    settle(text);
  };
  const change = (text: string) => {
    setDraft(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => settleNow(text), REST_MS);
  };
  return { draft, change, leave: () => settleNow(draft) };
}
