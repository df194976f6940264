import { useEffect, useRef } from 'react';

/** Single keys and what they do; an element that takes text, and an open dialog, keep their keys. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const acceptsText = (element: Element | null): boolean =>
  element instanceof HTMLElement &&
  (element.isContentEditable ||
    element.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

/** Whether a key press is a command: not typed into a field, not meant for an open dialog, not the browser's own. */
export const isShortcut = (press: KeyboardEvent): boolean =>
  !press.ctrlKey &&
  !press.metaKey &&
  !press.altKey &&
  !acceptsText(document.activeElement) &&
  document.querySelector('[role=dialog]') === null;

/** Listens for single keys while the screen is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const onKeyDown = (press: KeyboardEvent) => {
      if (press.defaultPrevented || !isShortcut(press)) return;
      const action = current.current[press.key];
      if (action === undefined) return;
      press.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
