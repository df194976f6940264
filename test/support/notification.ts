import { createHash } from 'node:crypto';

/** A notification, identified by the hash of its bytes. */
export interface Notification {
  body: Buffer;
  /** SHA-256 of the bytes, in hex. */
  hash: string;
}

export interface NotificationFields {
  /** The deal's id: the event is about `deal:<id>`. */
  id: number;
  name?: string;
  event?: string;
  timestamp?: string;
  webhookId: string;
}

/** A notification about a deal, with the fields and about the size of the document's example (2.1, 6.2). */
export function dealNotification({
  id,
  name = `Deal ${id}`,
  event = 'deal.updated',
  timestamp = new Date().toISOString(),
  webhookId,
}: NotificationFields): Notification {
  const data = {
    id,
    name,
    status_id: 142,
    pipeline_id: 7,
    responsible_user_id: 3051,
    created_at: timestamp,
    updated_at: timestamp,
    _links: { self: `https://copilot.example/v1/deals/${id}` },
  };
  const body = Buffer.from(JSON.stringify({ event, timestamp, webhook_id: webhookId, data }));
  return { body, hash: createHash('sha256').update(body).digest('hex') };
}
