import type { Daemon } from './daemon';
import { SIGNATURE_HEADER } from '../fakes/copilot';
import type { FakeWebhook } from '../fakes/copilot-webhooks';

/** Sends a signed notification. @returns the id of its event @throws if the status is not 200 */
export async function emit(daemon: Daemon, type: string, data: object): Promise<string> {
  const { webhook_id } = daemon.webhook;
  const timestamp = new Date().toISOString();
  const response = await notify(daemon, JSON.stringify({ event: type, timestamp, webhook_id, data }));
  if (response.status !== 200) throw new Error(`The notification returned ${response.status}.`);
  return ((await response.json()) as { id: string }).id;
}

/** Sends `text` to the URL of one webhook, signed with the secret of the same or another one. */
export function notify(
  daemon: Daemon,
  text: string,
  to: FakeWebhook = daemon.webhook,
  signedFor: FakeWebhook = to,
): Promise<Response> {
  const body = Buffer.from(text);
  const signature = daemon.upstream.sign(signedFor, body);
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
  return fetch(to.url, { method: 'POST', headers, body });
}
