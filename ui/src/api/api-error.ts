import type { Problem } from '../../../src/contract/problem';

/** A refusal by the daemon, or its silence, in words that a person can act upon. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  private constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly remedy: string | undefined,
    readonly fields: { path: string; message: string }[],
  ) {
    super(detail);
  }

  /** The daemon answered with a problem document. */
  static fromProblem(problem: Problem): ApiError {
    const { status, code, detail, remedy, errors } = problem;
    return new ApiError(status, code, detail, remedy, errors ?? []);
  }

  /** An answer came, but from something that does not speak our API, such as a proxy. */
  static fromStatus(status: number): ApiError {
    const detail = `The response was ${status} and cannot be read.`;
    return new ApiError(status, 'unreadable_answer', detail, 'Check the log of the daemon or its proxy.', []);
  }

  /** No answer came at all. */
  static noResponse(): ApiError {
    const remedy = 'Check that the daemon is running and try again.';
    return new ApiError(0, 'no_answer', 'Switchboard does not respond.', remedy, []);
  }

  /** Whether the same request may fare better a moment later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** Whether the daemon wants a login first. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
