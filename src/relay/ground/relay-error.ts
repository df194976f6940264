import type { Problem } from '../../contract/problem';
import type { ProblemCode } from '../../contract/problem-codes';

/** An invalid field of the input: its path, and what is wrong with it. */
export type FieldError = NonNullable<Problem['errors']>[number];

/** Members of a problem that only some codes have (RFC 9457, 3.2). */
export type ProblemMembers = Pick<Problem, 'missed' | 'oldest_cursor' | 'lease'>;

interface RelayErrorOptions {
  /** What the caller can do about it. */
  remedy?: string;
  /** One entry per invalid field. */
  errors?: FieldError[];
  /** For `Retry-After` (RFC 9110, 10.2.3). */
  retryAfterSeconds?: number;
  members?: ProblemMembers;
  cause?: unknown;
}

/**
 * An error whose text may be shown to the caller: a stable `code`, the HTTP status, and sentences that say what
 * happened and what to do. Private detail belongs in `cause`, which is only logged.
 */
export class RelayError extends Error {
  readonly remedy: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly members: ProblemMembers | undefined;

  constructor(
    readonly code: ProblemCode,
    readonly status: number,
    detail: string,
    { remedy, errors, retryAfterSeconds, members, cause }: RelayErrorOptions = {},
  ) {
    super(detail, { cause });
    this.name = 'RelayError';
    this.remedy = remedy;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
    this.members = members;
  }
}

/** `cursor_unknown`, 400 */
export function unknownCursor(): RelayError {
  return new RelayError('cursor_unknown', 400, 'The cursor was not returned by this list.', {
    remedy: 'Pass the next_cursor of the previous page, or omit the cursor for the first page.',
  });
}

/** What the item of a cursor is found by. @throws RelayError `cursor_unknown`, 400, if there is no such item */
export async function behindCursor<Found>(find: () => Found | Promise<Found>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    throw error instanceof RelayError && error.status === 404 ? unknownCursor() : error;
  }
}

/** The daemon cannot start until the operator changes something; the process exits with code 78 (EX_CONFIG). */
export class StartupError extends Error {
  /** Of the process. */
  readonly exitCode: number = 78;

  readonly errors: readonly ConfigurationError[];

  constructor(errors: ConfigurationError | readonly ConfigurationError[], cause?: unknown) {
    const all = [errors].flat();
    super(all.map(({ what, remedy }) => `${what} ${remedy}`).join('\n'), { cause });
    this.name = 'StartupError';
    this.errors = all;
  }
}

/** A start that may succeed later, without any change here; the process exits with code 69 (EX_UNAVAILABLE). */
export class DatabaseUnavailable extends StartupError {
  override readonly exitCode = 69;
}

export interface ConfigurationError {
  /** The setting or file that is wrong. */
  where: string;
  what: string;
  remedy: string;
}
