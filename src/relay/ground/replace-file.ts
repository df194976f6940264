import { renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a private file in one step: if the disk, the process or the machine fails, the former file is left, or none.
 * @throws the error of the system
 */
export function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text, { mode: 0o600, flush: true });
  renameSync(fresh, file);
}
