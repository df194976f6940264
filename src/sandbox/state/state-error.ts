/** The sandbox cannot start on this folder until somebody changes something about it. */
export class StateError extends Error {
  constructor(
    readonly what: string,
    readonly remedy: string,
  ) {
    super(`${what} ${remedy}`);
    this.name = 'StateRefused';
  }
}
