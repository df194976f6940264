/** Settles as the promise does, or resolves to `fallback` after `timeoutMs`. The work is not cancelled. */
export async function withTimeout<Result, Fallback>(
  promise: Promise<Result>,
  timeoutMs: number,
  fallback: Fallback,
): Promise<Result | Fallback> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Fallback>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, fallback);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
