import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';

const SHARED_MEMORY = '/dev/shm';
/** Several times what a run stores at once. */
const NEEDED_BYTES = 2 * 2 ** 30;

/**
 * A project's global setup: databases, browser profiles and other temporary files are kept in memory if there is enough,
 * which workers learn from `TMPDIR`. A disk would only slow these tests down, as none of them cuts the power.
 */
export default function storeInMemory(): void {
  if (!existsSync(SHARED_MEMORY)) return;
  const { bsize, bavail } = statfsSync(SHARED_MEMORY);
  if (bsize * bavail < NEEDED_BYTES) return;
  const folder = mkdtempSync(`${SHARED_MEMORY}/switchboard-test-`);
  // PostgreSQL runs as another user if this one is root. What is in the folder is private by itself.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
