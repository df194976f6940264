/** The sandbox cannot use its data folder. */
export class StateError extends Error {
  constructor(
    readonly reason: string,
    readonly remedy: string,
  ) {
    super(`${reason} ${remedy}`);
    this.name = 'StateError';
  }
}
