import type { Problem } from '@contract/problem';

/** An error response from the daemon, or no response at all, with what the user can do about it. */
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

  /** From a problem document (RFC 9457). */
  static fromProblem(problem: Problem): ApiError {
    const { status, code, detail, remedy, errors } = problem;
    return new ApiError(status, code, detail, remedy, errors ?? []);
  }

  /** The response is not from our API; it may come from a proxy. */
  static fromStatus(status: number): ApiError {
    const detail = `The response was ${status} and cannot be read.`;
    return new ApiError(status, 'unreadable_answer', detail, 'Check the log of the daemon or its proxy.', []);
  }

  /** There was no response. */
  static noResponse(): ApiError {
    const remedy = 'Check that the daemon is running and try again.';
    return new ApiError(0, 'no_answer', 'Switchboard does not respond.', remedy, []);
  }

  /** Whether the same request may succeed when retried. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** Whether the daemon accepts no session under the host name in the address bar. */
export const isHostRejected = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'host_rejected';

/** Whether none of the hub's daemons leads; another one takes over within seconds. */
export const hasNoLeader = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'no_leader';

/** Whether the request failed because there is no session. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
