/**
 * Sets the focus once the button that had it may be gone, unless the user has gone on by keyboard or pointer meanwhile.
 * @param refresh loads what removes the button
 */
export async function focusAfter(refresh: Promise<unknown>, focus: () => void): Promise<void> {
  let hasGoneOn = false;
  const listening = new AbortController();
  for (const input of ['keydown', 'pointerdown'])
    window.addEventListener(input, () => (hasGoneOn = true), { capture: true, signal: listening.signal });
  await refresh;
  listening.abort();
  if (!hasGoneOn || document.activeElement === document.body) focus();
}
