import { useEffect, useRef, useState } from 'react';
import { notifications } from '@mantine/notifications';

const CONFIRMED_FOR_MS = 1_500;

/** Copies texts. `copied` is true for a moment after a success; a failure is shown with what to do instead. */
export function useCopy(): { copy: (text: string) => void; copied: boolean } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string) => {
    clearTimeout(timer.current);
    const succeeded = await copyText(text);
    setCopied(succeeded);
    if (succeeded) timer.current = setTimeout(() => setCopied(false), CONFIRMED_FOR_MS);
    else notifications.show({ title: 'Not copied', message: REFUSED, color: 'red' });
  };
  return { copy: (text) => void copy(text), copied };
}

const REFUSED = 'The browser does not allow this page to copy. Select the text, and press Ctrl+C or ⌘C.';

/** Browsers offer the clipboard API only on HTTPS and localhost; elsewhere a selection is copied. */
async function copyText(text: string): Promise<boolean> {
  // Missing on plain HTTP, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return copySelection(text);
  return clipboard.writeText(text).then(
    () => true,
    () => copySelection(text),
  );
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // An open dialog keeps the focus within itself.
  (focused?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  // Deprecated, but without a successor on plain HTTP.
  const succeeded = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return succeeded;
}
