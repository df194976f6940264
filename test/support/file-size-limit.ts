import { execFileSync } from 'node:child_process';

/**
 * Lets the writes of a running process fail as on a broken disk: beyond its limit on the size of files a write fails with
 * EFBIG (Node ignores the signal that comes with it), which SQLite takes for an I/O error. Only the soft limit moves, so
 * it can be raised again.
 * @param beyondBytes where a file is as large as this already; what is smaller can still be written
 */
export function failWritesOf(pid: number, beyondBytes = 0): void {
  setLimit(pid, String(beyondBytes));
}

export function letWrite(pid: number): void {
  setLimit(pid, 'unlimited');
}

function setLimit(pid: number, soft: string): void {
  try {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${soft}:`], { stdio: 'pipe' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('prlimit is missing: install util-linux, with it a disk is made to fail.', {
        cause: error,
      });
    throw error;
  }
}
