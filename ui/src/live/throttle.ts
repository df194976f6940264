/** Runs `act` at once, then at most every `ms`; a call in between is not lost, it runs at the end of the pause. */
export function atMostEvery(ms: number, act: () => void): { run: () => void; stop: () => void } {
  let pause: ReturnType<typeof setTimeout> | undefined;
  let again = false;
  const run = () => {
    if (pause !== undefined) {
      again = true;
      return;
    }
    act();
    pause = setTimeout(() => {
      pause = undefined;
      if (again) {
        again = false;
        run();
      }
    }, ms);
  };
  const stop = () => {
    clearTimeout(pause);
    pause = undefined;
    again = false;
  };
  return { run, stop };
}
