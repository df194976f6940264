import { open, rename, rm } from 'node:fs/promises';
import { EXPORT_ESTIMATED_HEADER, EXPORT_TOTAL_HEADER } from '../../contract/constants';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { unreachable } from './hub-failures';
import { write } from './output';

const SHOW_EVERY_MS = 200;
const LINE_FEED = 0x0a;

/**
 * Writes an export into a file that is there only if it is complete, or to standard output.
 * @param what each of its lines is one of @throws NotNow if the response ends before its end
 */
export async function download(response: Response, output: string | undefined, what: string): Promise<void> {
  if (output === undefined) return copy(response, what, write);
  const part = `${output}.part`;
  try {
    const file = await open(part, 'w');
    try {
      await copy(response, what, (chunk) => file.writeFile(chunk));
    } finally {
      await file.close();
    }
    await rename(part, output);
  } catch (error) {
    await rm(part, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof CommandFailed || code === undefined) throw error;
    throw new CommandFailed(EXIT.failed, `${output} cannot be written (${code}).`, '', 'file_invalid');
  }
}

async function copy(
  response: Response,
  what: string,
  writeChunk: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const total = totalOf(response.headers);
  const reader = response.body!.getReader();
  let lines = 0;
  let shownAt = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw unreachable(new URL(response.url).origin, error);
    });
    if (done) break;
    await writeChunk(value);
    for (const byte of value) if (byte === LINE_FEED) lines += 1;
    if (!process.stderr.isTTY || performance.now() - shownAt < SHOW_EVERY_MS) continue;
    shownAt = performance.now();
    process.stderr.write(`\r\x1b[K${lines.toLocaleString('en')}${total} ${what}`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

/** Of how many; empty if the hub does not say it. */
function totalOf(headers: Headers): string {
  const total = headers.get(EXPORT_TOTAL_HEADER);
  if (total === null) return '';
  const about = headers.get(EXPORT_ESTIMATED_HEADER) === 'true' ? 'about ' : '';
  return ` of ${about}${Number(total).toLocaleString('en')}`;
}
