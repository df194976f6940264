import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import { z } from 'zod';
import { until } from '../support/until';

/** A request as it reached the receiver. */
interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The notification in a body, in the document's words (6.2); strict, so that anything more is a failure. */
const notification = z.strictObject({
  event: z.string(),
  timestamp: z.string(),
  webhook_id: z.string(),
  data: z.record(z.string(), z.unknown()),
});

type ReceivedNotification = z.infer<typeof notification>;

/** A real server on loopback that keeps what it receives and answers as told: with a status, or by hand. */
export interface Receiver {
  url: string;
  received: Received[];
  notifications(): ReceivedNotification[];
  /** Whether all that was received carries the document's signature for this secret (5.6). */
  signedWith(secret: string): boolean;
  answerWith(answer: number | ((response: ServerResponse) => void)): void;
  untilReceived(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer: number | ((response: ServerResponse) => void) = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({ method, path: url, headers, body: Buffer.concat(parts) });
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    notifications: () => received.map(({ body }) => notification.parse(JSON.parse(body.toString()))),
    signedWith: (secret) =>
      received.every(
        ({ headers, body }) =>
          headers['x-copilot-signature'] === createHmac('sha256', secret).update(body).digest('hex'),
      ),
    answerWith(next) {
      answer = next;
    },
    untilReceived: (count) => until(`${count} notifications`, () => received.length >= count),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
