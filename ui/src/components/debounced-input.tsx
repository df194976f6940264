import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';

const DEBOUNCE_MS = 500;

interface DebouncedInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  onCommit: (text: string) => void;
  /** How long typing pauses before it is reported. */
  delayMs?: number;
  /** Enter, or the arrow key down, leaves the field for what it is about. */
  onLeave?: (text: string, press: KeyboardEvent) => void;
}

/** A text field that reports its value when typing pauses, so that not every key sends a request. */
export function DebouncedInput({
  value,
  onCommit,
  delayMs = DEBOUNCE_MS,
  onLeave,
  ...rest
}: DebouncedInputProps) {
  const { draft, change, commitNow } = useDebouncedText(value, onCommit, delayMs);
  return (
    <TextInput
      {...rest}
      value={draft}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onBlur={commitNow}
      onKeyDown={(press) => {
        if (press.key === 'Enter') commitNow();
        // The first Escape clears a search field.
        if (press.key === 'Escape' && draft === '') press.currentTarget.blur();
        if (onLeave === undefined || (press.key !== 'Enter' && press.key !== 'ArrowDown')) return;
        press.preventDefault();
        commitNow();
        onLeave(draft, press);
      }}
    />
  );
}

/**
 * The text of a field, committed when typing pauses or the field loses focus. A value set from outside, such as a
 * cleared filter, replaces the text.
 */
function useDebouncedText(value: string, onCommit: (text: string) => void, delayMs: number) {
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
    onCommit(text);
  };
  const change = (text: string) => {
    setDraft(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(text), delayMs);
  };
  return { draft, change, commitNow: () => commit(draft) };
}
