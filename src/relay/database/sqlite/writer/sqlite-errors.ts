/** Errors of the disk or the file. They affect every row, so it does not help to run rows one by one. */
const DISK_FAILURES = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM|BUSY|PROTOCOL)/;

export const isDiskFailure = (error: unknown) => DISK_FAILURES.test(errorCode(error));

/** SQLite's error code, or the error as text. */
export function errorCode(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}
