// Sends notifications at a steady rate, and measures the time until each arrives at a receiver.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { LOAD_CORE, PINNED, pin, until } from './processes.mjs';

// This process is the load, and the receiver too.
if (PINNED) pin(process.pid, LOAD_CORE);

/** @returns { url, arrivals, close() }; `arrivals`: when each `data.nonce` first arrived, in ms of `performance.now()` */
export async function recordingReceiver() {
  const arrivals = new Map();
  const server = createServer((incoming, response) => {
    const parts = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(parts).toString());
      if (!arrivals.has(data.nonce)) arrivals.set(data.nonce, performance.now());
      response.writeHead(204).end();
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

/** Sends one notification; resolves once it is acknowledged. @returns its nonce and when it was sent and acknowledged */
async function notify(hook, type) {
  nonce += 1;
  const data = { id: nonce, nonce, name: `Live ${nonce}` };
  const body = JSON.stringify({ event: type, timestamp: new Date().toISOString(), webhook_id: 'wh_1', data });
  const signature = createHmac('sha256', hook.secret).update(body).digest('hex');
  const sent = { nonce, at: performance.now() };
  await post(hook.url, body, signature);
  return { ...sent, acknowledgedAt: performance.now() };
}

/**
 * Sends notifications at a steady rate, whether or not earlier ones have been acknowledged.
 * @param receiver of all of them; undefined: do not wait for their arrival
 * @returns { ack, arrival }: the time from sending each to its acknowledgement and to its arrival, in ms
 */
export async function sendSteadily(hook, type, { receiver, perSecond, seconds }) {
  const started = performance.now();
  const total = Math.round(perSecond * seconds);
  const sent = [];
  for (let i = 0; i < total; i += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.max(0, started + (i * 1_000) / perSecond - performance.now()));
    });
    sent.push(notify(hook, type));
  }
  const all = await Promise.all(sent);
  const ack = all.map((one) => one.acknowledgedAt - one.at);
  if (!receiver) return { ack, arrival: [] };
  await until(() => all.every(({ nonce: one }) => receiver.arrivals.has(one)), 'all deliveries', 60_000);
  return { ack, arrival: all.map(({ nonce: one, at }) => receiver.arrivals.get(one) - at) };
}

/** @returns the time from sending each notification to its arrival at the receiver, in ms */
export async function latencies(hook, type, receiver, perSecond, seconds) {
  return (await sendSteadily(hook, type, { receiver, perSecond, seconds })).arrival;
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
      else reject(new Error(`A notification returned ${response.statusCode}.`));
    });
    outgoing.end(body);
  });
}
