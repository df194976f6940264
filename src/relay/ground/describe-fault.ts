/** An error as it is logged. */
export interface FaultRecord {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: FaultRecord;
}

/**
 * Logs only named properties: errors of HTTP clients and of the database carry whole requests, headers and parameters,
 * which may contain secrets.
 */
export function describeFault(error: unknown, depth = 0): FaultRecord {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: typeof error === 'string' ? error : 'not an Error' };
  }
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < 4 && { cause: describeFault(error.cause, depth + 1) }),
  };
}
