import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { readText, useFile } from './files';

/** What a command leaves in such a file; nothing if it was killed, or the file was made for it. */
const SECRET_ONLY = /^(whsec_\S+\n)?$/;

/**
 * Has the hub make a secret, which it shows only once. With a file, the secret goes there and not into the result; the
 * file is made before, so that no secret is lost.
 * @param options `isReused`: whether the file may hold the secret of an earlier run, which is kept unless there is a new one
 * @throws CommandFailed if there is another such file already, or it cannot be written
 */
export async function withSecretFile<Made extends { secret?: string | undefined }>(
  file: string | undefined,
  make: () => Promise<Made>,
  { isReused = false } = {},
): Promise<Made> {
  if (file === undefined) return make();
  const isKept = isReused && existsSync(file);
  const handle = useFile(file, 'written', () => (isKept ? openAgain(file) : openSync(file, 'wx', 0o600)));
  let secret: string | undefined;
  try {
    const { secret: shown, ...rest } = await make();
    secret = shown;
    if (secret !== undefined) {
      ftruncateSync(handle);
      writeSync(handle, `${secret}\n`);
    }
    return rest as Made;
  } finally {
    closeSync(handle);
    if (secret === undefined && !isKept) rmSync(file);
  }
}

/** Fails as for a new file if it holds anything but a secret, which would be lost. */
function openAgain(file: string): number {
  if (!statSync(file).isFile() || !SECRET_ONLY.test(readFileSync(file, 'utf8')))
    throw Object.assign(new Error(), { code: 'EEXIST' });
  // It fails for a file of someone else: before there is a secret.
  chmodSync(file, 0o600);
  return openSync(file, 'r+');
}

/** @param file `-` for standard input @throws CommandFailed if it cannot be read */
export async function readSecret(file: string): Promise<string> {
  const text = file === '-' ? await readAll(process.stdin) : readText(file);
  return text.trim();
}
