/** What a user does to scroll. */
const USER_EVENTS = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/**
 * Calls `scroll` now and while content is still loading, which moves what is below it, until the user scrolls.
 * @returns a function that ends this
 */
export function keepScrolled(main: HTMLElement, scroll: () => void): () => void {
  const observer = new ResizeObserver(scroll);
  for (const child of main.children) observer.observe(child);
  const stop = () => {
    observer.disconnect();
    for (const name of USER_EVENTS) removeEventListener(name, stop);
  };
  for (const name of USER_EVENTS) addEventListener(name, stop, { passive: true });
  return stop;
}
