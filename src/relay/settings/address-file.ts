import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../ground/replace-file';

/** Exists in `DATA_DIR` while the daemon runs, with its URL and a secret for the command line. */
const ADDRESS_FILE = 'address';

export interface DaemonAddress {
  url: string;
  /** New at every start; another process that later listens on this port does not know it. */
  secret: string;
}

export const addressFile = (dataDir: string): string => join(dataDir, ADDRESS_FILE);

/** @throws the system error if it cannot be written */
export function writeAddress(dataDir: string, { url, secret }: DaemonAddress): void {
  replaceFile(addressFile(dataDir), `${url}\n${secret}\n`);
}

/** Null if there is no such file: no daemon is running. @throws the system error if it cannot be read */
export function readAddress(dataDir: string): DaemonAddress | null {
  try {
    const [url = '', secret = ''] = readFileSync(addressFile(dataDir), 'utf8').split('\n');
    return { url, secret };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
