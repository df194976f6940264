/** Runs `action` immediately, then at most every `ms`; a call in between runs at the end of the interval. */
export function throttle(ms: number, action: () => void): { run: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPending = false;
  const run = () => {
    if (timer !== undefined) {
      isPending = true;
      return;
    }
    action();
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) {
        isPending = false;
        run();
      }
    }, ms);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    isPending = false;
  };
  return { run, stop };
}
