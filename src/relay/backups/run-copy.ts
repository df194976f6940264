import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Backup } from '../../contract/backup';

export interface CopyRequest {
  database: string;
  /** A path at which there is no file yet. */
  copy: string;
  /** The path that the copy will have. */
  file: string;
  /** When it starts, in ms since 1970. */
  at: number;
}

/** The messages of the copying process. */
export type CopyReport =
  | { verifying: true }
  | { done: Backup }
  | { failed: { code: string; message: string } };

/** The copy could not be made or verified. */
export class CopyFailed extends Error {
  constructor(
    /** SQLite's or the system's code; `COPY_DAMAGED` if the copy is damaged. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Copies the database in a process of its own. When this returns, the copy is verified and on disk.
 * @param signal ends the process; the copy is then incomplete
 * @throws CopyFailed
 */
export function runCopy(request: CopyRequest, onVerifying: () => void, signal: AbortSignal): Promise<Backup> {
  return new Promise((resolve, reject) => {
    // Without the daemon's own options, such as a port of the debugger.
    const child = fork(join(__dirname, 'backup.process.js'), [], { execArgv: [] });
    const end = () => child.kill('SIGKILL');
    signal.addEventListener('abort', end, { once: true });
    child.on('message', (report: CopyReport) => {
      if ('verifying' in report) return onVerifying();
      if ('done' in report) resolve(report.done);
      else reject(new CopyFailed(report.failed.code, report.failed.message));
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(new CopyFailed(error.code ?? 'PROCESS_FAILED', error.message)),
    );
    child.on('exit', (code, by) => {
      signal.removeEventListener('abort', end);
      reject(new CopyFailed('PROCESS_ENDED', `the copying process ended (${by ?? code})`));
    });
    child.send(request);
  });
}
