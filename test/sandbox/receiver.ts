import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import { z } from 'zod';
import { until } from '../support/until';

/** A received request. */
interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A notification as in the document, 6.2; further fields are errors. */
const notification = z.strictObject({
  event: z.string(),
  timestamp: z.string(),
  webhook_id: z.string(),
  data: z.record(z.string(), z.unknown()),
});

type ReceivedNotification = z.infer<typeof notification>;

export const parseNotification = (text: string): ReceivedNotification => notification.parse(JSON.parse(text));

/** An HTTP server on loopback that records requests and responds with a status or by a function. */
export interface Receiver {
  url: string;
  received: Received[];
  notifications(): ReceivedNotification[];
  /** Whether all requests are signed with this secret (document, 5.6). */
  signedWith(secret: string): boolean;
  respondWith(reply: number | ((response: ServerResponse) => void)): void;
  untilReceived(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let reply: number | ((response: ServerResponse) => void) = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({ method, path: url, headers, body: Buffer.concat(parts) });
      if (typeof reply === 'number') response.writeHead(reply).end();
      else reply(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    notifications: () => received.map(({ body }) => parseNotification(body.toString())),
    signedWith: (secret) =>
      received.every(
        ({ headers, body }) =>
          headers['x-copilot-signature'] === createHmac('sha256', secret).update(body).digest('hex'),
      ),
    respondWith(next) {
      reply = next;
    },
    untilReceived: (count) => until(`${count} notifications`, () => received.length >= count),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
