import { jsonLine } from './printable';
import type { HubClient } from './remote/hub-client';

export async function loginLink(hub: HubClient, { json }: { json?: boolean }): Promise<void> {
  const link = await hub.request('POST', '/api/v1/login-links');
  process.stdout.write(`${json ? jsonLine(link) : link.url}\n`);
}
