import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { readText, useFile } from './files';

/**
 * Has the hub make a secret, which it shows only once. With a file, the secret goes there and not into the result; the
 * file is made before, so that no secret is lost.
 * @throws CommandFailed if there is such a file already, or it cannot be written
 */
export async function withSecretFile<Made extends { secret?: string | undefined }>(
  file: string | undefined,
  make: () => Promise<Made>,
): Promise<Made> {
  if (file === undefined) return make();
  const handle = useFile(file, 'written', () => openSync(file, 'wx', 0o600));
  let secret: string | undefined;
  try {
    const { secret: shown, ...rest } = await make();
    secret = shown;
    if (secret !== undefined) writeSync(handle, `${secret}\n`);
    return rest as Made;
  } finally {
    closeSync(handle);
    if (secret === undefined) rmSync(file);
  }
}

/** @param file `-` for standard input @throws CommandFailed if it cannot be read */
export async function readSecret(file: string): Promise<string> {
  const text = file === '-' ? await readAll(process.stdin) : readText(file);
  return text.trim();
}
