/** Exit codes of sysexits.h for what a command can find, beside those of `main.ts`. */
export const EX_TEMPFAIL = 75;
export const EX_NOPERM = 77;
export const EX_CONFIG = 78;

/** A command ends without having done what it was asked to. The message says all that is to be said: no stack is shown. */
export class CommandFailed extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
