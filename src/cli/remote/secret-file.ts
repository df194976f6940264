import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';

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
  const handle = attempt(file, 'written', () => openSync(file, 'wx', 0o600));
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
  const text =
    file === '-' ? await readAll(process.stdin) : attempt(file, 'read', () => readFileSync(file, 'utf8'));
  return text.trim();
}

function attempt<Result>(file: string, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailed(
      EXIT.config,
      `${file} cannot be ${what} (${code}).`,
      code === 'EEXIST' ? 'Name a file that does not exist yet.' : 'Name a file that this user may use.',
      'file_invalid',
    );
  }
}
