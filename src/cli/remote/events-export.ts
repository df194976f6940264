import { open, rename, rm } from 'node:fs/promises';
import { EXPORT_ESTIMATED_HEADER, EXPORT_TOTAL_HEADER } from '../../contract/constants';
import type { ExportFormat } from '../../contract/event';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { selectionQuery, type SelectionFlags } from './events-list';
import { confirmReplacing } from './ask';
import type { HubClient } from './hub-client';
import { unreachable } from './hub-failures';
import { write } from './output';

const SHOW_EVERY_MS = 200;
const LINE_FEED = 0x0a;

/** `events export`: all matching events, into a file that is there only if it is complete, or to standard output. */
export async function exportEvents(
  hub: HubClient,
  { format, output, yes, ...flags }: SelectionFlags & { format: ExportFormat; output?: string; yes?: true },
): Promise<void> {
  await confirmReplacing(output, yes);
  const query = { ...(await selectionQuery(hub, flags)), format };
  const response = await hub.open('/api/v1/events/export', { query });
  if (output === undefined) return copy(response, write);
  const part = `${output}.part`;
  try {
    const file = await open(part, 'w');
    try {
      await copy(response, (chunk) => file.writeFile(chunk));
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

/** @throws NotNow if the response ends before its end */
async function copy(response: Response, writeChunk: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  const about = response.headers.get(EXPORT_ESTIMATED_HEADER) === 'true' ? 'about ' : '';
  const total = Number(response.headers.get(EXPORT_TOTAL_HEADER)).toLocaleString('en');
  const reader = response.body!.getReader();
  let events = 0;
  let shownAt = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw unreachable(new URL(response.url).origin, error);
    });
    if (done) break;
    await writeChunk(value);
    // Each event is a line.
    for (const byte of value) if (byte === LINE_FEED) events += 1;
    if (!process.stderr.isTTY || performance.now() - shownAt < SHOW_EVERY_MS) continue;
    shownAt = performance.now();
    process.stderr.write(`\r\x1b[K${events.toLocaleString('en')} of ${about}${total} events`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
