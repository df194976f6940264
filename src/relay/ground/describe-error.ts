/** The code of an error, or the error as text. */
export const errorCode = (error: unknown): string => (error as { code?: string }).code ?? String(error);

/** The parts of an error that are logged. */
export interface LoggedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: LoggedError;
}

/** The longest chain of `cause` that is logged, in case it is circular. */
const MAX_DEPTH = 4;

/** Selects properties by name: errors of HTTP clients and of the database may carry requests, headers, secrets. */
export function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) {
    // Between threads, an error may lose its class, and then all but what is enumerable.
    const { message, code } = Object(error) as Record<string, unknown>;
    const text = [error, message, code].find((one) => typeof one === 'string');
    return { type: typeof error, message: text ?? 'not an Error' };
  }
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < MAX_DEPTH && { cause: describeError(error.cause, depth + 1) }),
  };
}
