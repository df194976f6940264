import { renameSync, writeFileSync } from 'node:fs';

/** Writes a private file: a failure, even of the machine, leaves the former one or none. @throws what the system does */
export function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text, { mode: 0o600, flush: true });
  renameSync(fresh, file);
}
