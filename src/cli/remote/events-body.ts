import { writeFileSync } from 'node:fs';
import type { HubFlags } from '../definitions/hub-flags';
import { printable } from '../printable';
import { confirmReplacing } from './ask';
import { useFile } from './files';
import { eventIdOf } from './find-by-name';
import type { HubClient } from './hub-client';
import { note, write, writeLine } from './output';

/** `events body`: the exact bytes, or with `--masked` what the token may see of them; on a terminal a text that is safe to show. */
export async function writeBody(
  hub: HubClient,
  event: string,
  { output, yes, masked }: HubFlags & { output?: string; yes?: true; masked?: true },
): Promise<void> {
  await confirmReplacing(output, yes);
  const id = await eventIdOf(hub, event);
  const response = await hub.open('/api/v1/events/{id}/body', {
    path: { id },
    query: masked ? { masked: 'true' } : {},
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (output !== undefined) useFile(output, 'written', () => writeFileSync(output, bytes));
  else if (process.stdout.isTTY) await show(bytes);
  else await write(bytes);
}

async function show(bytes: Buffer): Promise<void> {
  const text = bytes.toString();
  const safe = printable(text);
  await writeLine(safe);
  if (safe !== text || !Buffer.from(text).equals(bytes))
    note('Bytes that a terminal would not show are replaced: write them with -o <file>, or into a pipe.');
}
