import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PROBE_BYTES = 256 * 1024;

const CODES = /^(ENOSPC|EDQUOT|EFBIG|EIO|SQLITE_(FULL|IOERR\w*))$/;

/** The code of an error that ends by itself once a disk can be written again; null for any other. */
export function diskFullCode(error: unknown): string | null {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && CODES.test(code)) return code;
  return cause === undefined ? null : diskFullCode(cause);
}

/** Whether a folder takes a file of the size that a start needs. */
export async function isWritable(folder: string): Promise<boolean> {
  const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(probe, Buffer.alloc(PROBE_BYTES), { flush: true, mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}
