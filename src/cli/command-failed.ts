/** Exit codes from sysexits.h, in addition to those in `main.ts`. */
export const EX_TEMPFAIL = 75;
export const EX_NOPERM = 77;
export const EX_CONFIG = 78;

/** An expected failure of a command. Only the message is printed, without a stack trace. */
export class CommandFailed extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
