/** An expected failure of a command. Only its sentences are printed, without a stack trace. */
export class CommandFailed extends Error {
  constructor(
    /** See `EXIT`. */
    readonly exitCode: number,
    /** What happened and why. */
    readonly detail: string,
    /** What to do. */
    readonly remedy = '',
    /** Stable, unlike the sentences. */
    readonly code = 'command_failed',
    /** The other members of the hub's problem. */
    readonly others: object = {},
  ) {
    super(`${detail} ${remedy}`.trim());
  }
}
