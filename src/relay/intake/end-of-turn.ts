let current: Promise<void> | null = null;

/**
 * Resolves for all waiters once this turn of the event loop has read all sockets. Processing the
 * notifications of one turn in sequence is 25 % faster than interleaving it with socket reads and writes.
 */
export function endOfTurn(): Promise<void> {
  current ??= new Promise((resolve) => {
    setImmediate(() => {
      current = null;
      resolve();
    });
  });
  return current;
}
