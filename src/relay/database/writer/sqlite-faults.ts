/** Errors of the disk or the file: they meet every row alike, so trying the rows one by one is of no use. */
const DISK_FAULTS = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM|BUSY|PROTOCOL)/;

export const isDiskFault = (error: unknown) => DISK_FAULTS.test(codeOf(error));

/** SQLite's code, where it is an error of SQLite. */
export function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}
