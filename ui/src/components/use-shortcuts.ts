import { useEffect, useRef } from 'react';

/** Actions by key. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const acceptsText = (element: Element | null): boolean =>
  element instanceof HTMLElement &&
  (element.isContentEditable ||
    element.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

/** Whether a key press is a shortcut: without modifiers, outside text fields, and with no dialog open. */
export const isShortcut = (press: KeyboardEvent): boolean =>
  !press.ctrlKey &&
  !press.metaKey &&
  !press.altKey &&
  !acceptsText(document.activeElement) &&
  document.querySelector('[role=dialog]') === null;

/** Registers single-key shortcuts while the component is mounted. */
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
