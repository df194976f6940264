import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In `DATA_DIR` while the daemon runs: where the command line finds it, and by which secret it knows it. */
const ADDRESS_FILE = 'address';

export interface DaemonAddress {
  url: string;
  /** Another one at every start: who listens there after the daemon has died does not have it. */
  secret: string;
}

export const addressFile = (dataDir: string): string => join(dataDir, ADDRESS_FILE);

/** It is there whole or not at all, and for its owner alone. */
export function writeAddress(dataDir: string, { url, secret }: DaemonAddress): void {
  const file = addressFile(dataDir);
  writeFileSync(`${file}.new`, `${url}\n${secret}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Null where no daemon has left one. @throws the system's error where it cannot be read */
export function readAddress(dataDir: string): DaemonAddress | null {
  try {
    const [url = '', secret = ''] = readFileSync(addressFile(dataDir), 'utf8').split('\n');
    return { url, secret };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
