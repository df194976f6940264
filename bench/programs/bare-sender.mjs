// The baseline of sending: requests with undici, each signed like a delivery, and nothing else. Arguments: the target's URL,
// connections, requests. Prints one line of JSON; `cpu` is in microseconds per request.
import { createHmac, randomBytes } from 'node:crypto';
import { Pool } from 'undici';

const [address, connections, count] = process.argv.slice(2);
const { origin, pathname: path } = new URL(address);
const pool = new Pool(origin, {
  connections: Number(connections),
  headersTimeout: 5_000,
  bodyTimeout: 5_000,
});
const secret = randomBytes(32);
const data = { id: 100_000, name: 'Northwind renewal and onboarding package', note: 'x'.repeat(300) };
const body = JSON.stringify({
  event: 'deal.updated',
  timestamp: new Date().toISOString(),
  webhook_id: 'wh_1',
  data,
});
let number = 0;

await send(Math.ceil(Number(count) / 4));
const started = performance.now();
const cpu = process.cpuUsage();
await send(Number(count));
const used = process.cpuUsage(cpu);
const seconds = (performance.now() - started) / 1_000;
await pool.close();
console.log(
  JSON.stringify({ perSecond: Number(count) / seconds, cpu: (used.user + used.system) / Number(count) }),
);

async function send(total) {
  let left = total;
  await Promise.all(
    Array.from({ length: Number(connections) }, async () => {
      while (left > 0) {
        left -= 1;
        await post();
      }
    }),
  );
}

async function post() {
  number += 1;
  const id = `bare_${number}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const response = await pool.request({ path, method: 'POST', headers, body });
  await response.body.dump();
  if (response.statusCode !== 204) throw new Error(`The target returned ${response.statusCode}.`);
}
