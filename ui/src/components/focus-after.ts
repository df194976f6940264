/**
 * Sets the focus once the button that had it may be gone, unless the user moved it meanwhile.
 * @param refresh loads what removes the button
 */
export async function focusAfter(refresh: Promise<unknown>, focus: () => void): Promise<void> {
  const used = new AbortController();
  const stop = () => used.abort();
  for (const input of ['keydown', 'pointerdown'])
    window.addEventListener(input, stop, { capture: true, signal: used.signal });
  await refresh;
  if (!used.signal.aborted || document.activeElement === document.body) focus();
  stop();
}
