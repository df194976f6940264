import type { Daemon } from './daemon';
import { SIGNATURE_HEADER, type FakeWebhook } from '../fakes/copilot';

/** Sends a notification that Co-Pilot would send, signed; the id of its event. @throws where it is not answered 200 */
export async function emit(daemon: Daemon, type: string, data: object): Promise<string> {
  const { webhook_id } = daemon.webhook;
  const timestamp = new Date().toISOString();
  const answer = await notify(daemon, JSON.stringify({ event: type, timestamp, webhook_id, data }));
  if (answer.status !== 200) throw new Error(`The notification was answered ${answer.status}.`);
  return ((await answer.json()) as { id: string }).id;
}

/** Sends these bytes to the address of one webhook, signed for another or the same. */
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
