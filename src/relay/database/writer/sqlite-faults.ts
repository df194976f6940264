/** Errors of the disk or the file: they meet every row alike, so trying the rows one by one is of no use. */
const DISK_FAULTS = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM|BUSY|PROTOCOL)/;

export const isDiskFault = (error: unknown) => DISK_FAULTS.test(codeOf(error));

/** SQLite's code, where it is an error of SQLite. */
export function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}

/** A row's own fault becomes its outcome; a fault of the disk ends the whole group. */
export function attempted<T>(guarded: boolean, work: () => T, failed: (cause: string) => T): T {
  if (!guarded) return work();
  try {
    return work();
  } catch (error) {
    if (isDiskFault(error)) throw error;
    return failed(codeOf(error));
  }
}
