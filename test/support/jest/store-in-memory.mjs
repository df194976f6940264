import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';

const SHARED_MEMORY = '/dev/shm';
/** Several times what a run stores at once. */
const NEEDED_BYTES = 2 * 2 ** 30;

/**
 * A project's global setup: databases, browser profiles and other temporary files are kept in memory if there is enough,
 * which workers learn from `TMPDIR`. A disk would only slow these tests down, as none of them cuts the power.
 */
export default function storeInMemory() {
  if (!existsSync(SHARED_MEMORY)) return;
  const { bsize, bavail } = statfsSync(SHARED_MEMORY);
  if (bsize * bavail < NEEDED_BYTES) return;
  const folder = mkdtempSync(`${SHARED_MEMORY}/switchboard-test-`);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
