/** An expected failure of a command. Only the message is printed, without a stack trace. */
export class CommandFailed extends Error {
  constructor(
    /** See `EXIT`. */
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
