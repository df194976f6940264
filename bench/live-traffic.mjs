// A place that events go to, and notifications at a steady pace, to see how long each takes from the one to the other.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';

/** @returns { url, arrivals, close() }; `arrivals`: when each body's `data.nonce` first came, in ms */
export async function recordingPlace(answerAfterMs = 0, answer = () => 204) {
  const arrivals = new Map();
  const server = createServer((incoming, response) => {
    const parts = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      const at = performance.now();
      const { data } = JSON.parse(Buffer.concat(parts).toString());
      if (!arrivals.has(data.nonce)) arrivals.set(data.nonce, at);
      const end = () => response.writeHead(answer(data)).end();
      if (answerAfterMs > 0) setTimeout(end, answerAfterMs);
      else end();
    });
  }).listen(0, '127.0.0.1');
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, arrivals, close };
}

let nonce = 0;

/** One notification, stored when it resolves. @returns its nonce and when it was sent */
export async function notify(hook, type) {
  nonce += 1;
  const data = { id: nonce, nonce, name: `Live ${nonce}` };
  const body = JSON.stringify({ event: type, timestamp: new Date().toISOString(), webhook_id: 'wh_1', data });
  const signature = createHmac('sha256', hook.secret).update(body).digest('hex');
  const sent = { nonce, at: performance.now() };
  await post(hook.url, body, signature);
  return sent;
}

/** Notifications at a steady pace. @returns how long each took to `place`, in ms */
export async function latencies(hook, type, place, perSecond, seconds) {
  const sent = [];
  const end = performance.now() + seconds * 1_000;
  for (let due = performance.now(); due < end; due += 1_000 / perSecond) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    sent.push(notify(hook, type));
  }
  const all = await Promise.all(sent);
  const deadline = performance.now() + 60_000;
  while (all.some(({ nonce: one }) => !place.arrivals.has(one))) {
    if (performance.now() > deadline) throw new Error('Not everything arrived within a minute.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return all.map(({ nonce: one, at }) => place.arrivals.get(one) - at);
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
process.on('exit', () => agent.destroy());

function post(url, body, signature) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-signature': signature,
    };
    const outgoing = request(url.replace('localhost', '127.0.0.1'), { method: 'POST', agent, headers });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      response.resume();
      if (response.statusCode === 200) response.on('end', resolve);
      else reject(new Error(`A notification was answered ${response.statusCode}.`));
    });
    outgoing.end(body);
  });
}
