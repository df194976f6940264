// A relay that stores nothing: what it has acknowledged and not yet delivered is lost when it ends.
import { createServer } from 'node:http';
import { deliver, isGenuine, ready, targets } from './webhooks.mjs';

let number = 0;
const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts);
    if (!isGenuine(body, request.headers['x-signature'])) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(200, { 'content-length': 0 }).end();
    const id = `event_${(number += 1)}`;
    for (const target of targets) void deliver(target, id, body);
  });
});
server.listen(0, '127.0.0.1', () =>
  ready(server.address().port, ['node:http and undici', 'stores nothing', 'no retries']),
);
