/** Prints the results of a run without Jest, which would add the origin of each line. */
export function report(text: string): void {
  process.stdout.write(`${text}\n`);
}
