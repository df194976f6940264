/** Prints figures that a run is to show, past Jest, which would put each line's origin beside it. */
export function report(text: string): void {
  process.stdout.write(`${text}\n`);
}
