// Lists events, consumes and follows them, creates a target, has an event sent to it again, and verifies the delivery.
// HUB=https://hub.example.com TOKEN=switchboard_… (scope `operate`)
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createClient, SwitchboardProblem } from 'switchboard-client';
import { consume, follow } from 'switchboard-client/events';
import { verify } from 'switchboard-client/webhook';

const client = createClient({ hub: process.env.HUB!, token: process.env.TOKEN! });

const page = await client.request('GET', '/api/v1/events', { query: { type: ['deal.*'], limit: 10 } });
for (const { id, type, entity } of page.data) console.log(`listed ${id} ${type} ${entity}`);

// A consumer is a position that the hub keeps; what the handler has returned from is committed.
const name = 'tour-typescript';
await client.request('POST', '/api/v1/consumers', { body: { name, types: ['deal.*'], start: 'oldest' } });
const done = new AbortController();
const handler = ({ id }: { id: string }) => {
  console.log(`consumed ${id}`);
  done.abort();
};
await consume(client, name, handler, { signal: done.signal });

// Without a consumer, the program keeps the position itself: the id of the last event.
let last = '';
for await (const { id } of follow(client, { after: 'oldest', type: ['deal.*'] })) {
  last = id;
  console.log(`followed ${id}`);
  break;
}

let secret = '';
const seen = new Set<string>();
const receive = async (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const add = (id: string) => !seen.has(id) && Boolean(seen.add(id));
    const delivery = await verify(request.headers, Buffer.concat(chunks), secret, { seen: { add } });
    response.writeHead(204).end();
    if (!delivery.isRepeated) console.log(`verified ${delivery.id}`);
    server.emit('delivered');
  } catch {
    response.writeHead(401).end();
  }
};
const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

try {
  const delivered = once(server, 'delivered');
  const target = await client.request('POST', '/api/v1/targets', { body: { name, url, events: ['none'] } });
  secret = target.secret!;
  console.log(`created ${target.id}`);
  await client.request('POST', '/api/v1/events/{id}/replay', {
    path: { id: last },
    body: { target_ids: [target.id] },
  });
  await delivered;
  await client.request('DELETE', '/api/v1/targets/{id}', { path: { id: target.id } });
} catch (error) {
  if (!(error instanceof SwitchboardProblem) || error.code !== 'target_name_taken') throw error;
  console.error(`${error.detail} Another run may have left it behind.`);
} finally {
  server.close();
}
