// A load generator over raw sockets: each connection sends its next notification when the response to the previous one has
// arrived. All notifications differ and are signed before the measurement starts. Arguments: url, secret, connections,
// notifications, first number, and, to send them no faster, notifications per second. Prints one line of JSON; `cpu` is in
// microseconds per notification.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { percentile } from '../harness/figures.mjs';

const [address, secret, connections, count, first, rate = Infinity] = process.argv.slice(2);
const url = new URL(address);
const total = Number(count);

const requests = Array.from({ length: total }, (_, i) => request(Number(first) + i));
let next = 0;
let failed = 0;
const ackMs = new Float64Array(total);
const started = performance.now();
const cpu = process.cpuUsage();
await Promise.all(Array.from({ length: Number(connections) }, run));
const seconds = (performance.now() - started) / 1_000;
const used = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    startedAt: performance.timeOrigin + started,
    perSecond: total / seconds,
    acknowledged: total - failed,
    failed,
    cpu: (used.user + used.system) / total,
    busy: (used.user + used.system) / 1e6 / seconds,
    ackMs: { p50: percentile(ackMs, 0.5), p99: percentile(ackMs, 0.99) },
  }),
);

function run() {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname.replace('localhost', '127.0.0.1'));
    socket.setNoDelay(true).setEncoding('latin1').on('error', reject);
    let number = 0;
    let sentAt = 0;
    const send = () => {
      if (next === total) {
        socket.end(resolve);
        return;
      }
      number = next++;
      const early = started + (number * 1_000) / rate - performance.now();
      if (early >= 1) setTimeout(write, early);
      else write();
    };
    const write = () => {
      sentAt = performance.now();
      socket.write(requests[number]);
    };
    let text = '';
    socket.on('connect', send).on('data', (chunk) => {
      text += chunk;
      const head = text.indexOf('\r\n\r\n');
      if (head < 0 || text.length < head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1])) return;
      if (!text.startsWith('HTTP/1.1 200')) failed += 1;
      text = '';
      ackMs[number] = performance.now() - sentAt;
      send();
    });
  });
}

function request(number) {
  const timestamp = new Date(1_760_000_000_000 + number * 20).toISOString();
  const data = {
    id: 100_000 + ((number * 7_919) % 250_000),
    name: `Northwind renewal and onboarding package, order ${number}`,
    status_id: 142 + (number % 8),
    pipeline_id: 31 + (number % 4),
    responsible_user_id: 7_000 + (number % 40),
    created_at: timestamp,
    updated_at: timestamp,
    _links: { self: `https://co-pilot.example/v1/deals/${number}` },
  };
  const body = JSON.stringify({ event: 'deal.updated', timestamp, webhook_id: 'wh_1', data });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return Buffer.from(
    `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\nx-signature: ${signature}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
