import { execFileSync } from 'node:child_process';

/**
 * Makes the writes of a running process fail as on a broken disk: beyond its file size limit a write fails with EFBIG
 * (Node ignores the signal), which SQLite reports as an I/O error. Only the soft limit changes, so it can be raised again.
 * @param beyondBytes only files larger than this are affected
 */
export function failWritesOf(pid: number, beyondBytes = 0): void {
  setLimit(pid, String(beyondBytes));
}

export function allowWritesOf(pid: number): void {
  setLimit(pid, 'unlimited');
}

function setLimit(pid: number, soft: string): void {
  try {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${soft}:`], { stdio: 'pipe' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('prlimit is not installed, so writes cannot be made to fail. Install util-linux.', {
        cause: error,
      });
    throw error;
  }
}
