import type { ExportFormat } from '../../contract/event';
import { confirmReplacing } from './ask';
import { download } from './download';
import { selectionQuery, type SelectionFlags } from './events-list';
import type { HubClient } from './hub-client';

/** `events export`: all matching events. */
export async function exportEvents(
  hub: HubClient,
  { format, output, yes, ...flags }: SelectionFlags & { format: ExportFormat; output?: string; yes?: true },
): Promise<void> {
  await confirmReplacing(output, yes);
  const query = { ...(await selectionQuery(hub, flags)), format };
  await download(await hub.open('/api/v1/events/export', { query }), output, 'events');
}
