/** Runs work that Ctrl-C or SIGTERM ends as it should end; a second signal ends the program at once. */
export async function untilSignal(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    for (const signal of signals) process.removeListener(signal, stop);
  }
}
