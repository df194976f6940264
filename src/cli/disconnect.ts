import { jsonLine, oneLine } from './printable';
import { confirm } from './remote/ask';
import type { HubClient } from './remote/hub-client';

const WARNING = `This deletes the webhook at Co-Pilot and the stored tokens. Co-Pilot then stops sending notifications: events that occur
until you connect again are lost. Stored events are kept and still delivered. To stop only deliveries, pause the targets.`;

interface DisconnectFlags {
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

export async function disconnect(
  hub: HubClient,
  { yes, force = false, json }: DisconnectFlags,
): Promise<void> {
  // There is nothing to confirm without a hub.
  await hub.request('GET', '/api/v1/connection');
  if (!yes) process.stderr.write(`${WARNING}\n`);
  await confirm('Disconnect?', 'Not disconnected', yes);
  const after = await hub.request('POST', '/api/v1/connection/disconnect', {
    body: { force },
  });
  process.stdout.write(`${json ? jsonLine(after) : oneLine(after.sentence)}\n`);
}
