import { EXIT } from './exit-codes';

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

/** A command line that the parser accepts, but that makes no sense. */
export const invalidCommandLine = (what: string, remedy: string): CommandFailed =>
  new CommandFailed(EXIT.usage, what, remedy, 'command_line_invalid');
