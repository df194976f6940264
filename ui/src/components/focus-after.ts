/**
 * Sets the focus once the button that had it may be gone, unless it went to a dialog or a field meanwhile.
 * @param refresh loads what removes the button
 */
export async function focusAfter(refresh: Promise<unknown>, focus: () => void): Promise<void> {
  const before = focusedForm();
  await refresh;
  const now = focusedForm();
  if (now === null || now === before) focus();
}

const focusedForm = () => document.activeElement?.closest('[role=dialog], input, select, textarea') ?? null;
