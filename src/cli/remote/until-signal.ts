/**
 * Runs work that Ctrl-C or SIGTERM ends as it should end; a second signal ends the program at once.
 * @param onEnd called after that, if a signal or the limit ended it
 * @param limitS seconds after which it ends too
 */
export async function untilSignal(
  work: (signal: AbortSignal) => Promise<void>,
  onEnd?: (why: 'SIGINT' | 'SIGTERM' | 'timeout') => void,
  limitS?: number,
): Promise<void> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) => controller.abort(signal);
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  const timer =
    limitS === undefined ? undefined : setTimeout(() => controller.abort('timeout'), 1_000 * limitS);
  try {
    await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    onEnd?.(controller.signal.reason as 'SIGINT' | 'SIGTERM' | 'timeout');
  } finally {
    clearTimeout(timer);
    for (const signal of signals) process.removeListener(signal, stop);
  }
}
