/** Errors of the disk or the file: they affect every row, so running rows one by one does not help. */
const DISK_FAULTS = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM|BUSY|PROTOCOL)/;

export const isDiskFault = (error: unknown) => DISK_FAULTS.test(codeOf(error));

/** SQLite's error code, or the error as text. */
export function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}
