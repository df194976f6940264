import { fork } from 'node:child_process';
import { join } from 'node:path';

/**
 * Overwrites the free bytes of a database file, beside its other connections.
 * @param signal ends it; the next run begins anew
 * @throws Error if it could not, or not everywhere
 */
export function cleanFile(file: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Error('the daemon is stopping'));
    const child = fork(join(__dirname, 'cleaning.process.js'), [file], { execArgv: [] });
    const end = () => child.kill('SIGKILL');
    signal.addEventListener('abort', end, { once: true });
    child.on('message', (skipped: number) =>
      skipped === 0 ? resolve() : reject(new Error(`${skipped} pages have an unknown form`)),
    );
    child.on('error', reject);
    child.on('exit', (code, by) => {
      signal.removeEventListener('abort', end);
      reject(new Error(`the cleaning process ended (${by ?? code})`));
    });
  });
}
