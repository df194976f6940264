/**
 * Runs work that Ctrl-C or SIGTERM ends as it should end; a second signal ends the program at once.
 * @param onSignal called after that, if a signal ended it
 */
export async function untilSignal(
  work: (signal: AbortSignal) => Promise<void>,
  onSignal?: (signal: 'SIGINT' | 'SIGTERM') => void,
): Promise<void> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) => controller.abort(signal);
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    onSignal?.(controller.signal.reason as 'SIGINT' | 'SIGTERM');
  } finally {
    for (const signal of signals) process.removeListener(signal, stop);
  }
}
