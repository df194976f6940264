// A target over raw sockets, so that it takes little of the machine: responds with 204, and counts requests by path and
// webhook-id. Asked over IPC, it responds { requests, deliveries, lastAt } since the last `reset`: `deliveries` without
// repeated ones, `lastAt` in ms since 1970.
import { createServer } from 'node:net';

const RESPONSE = 'HTTP/1.1 204 No Content\r\n\r\n';
const seen = new Set();
let requests = 0;
let lastAt = 0;

const server = createServer((socket) => {
  let text = '';
  socket
    .setNoDelay(true)
    .setEncoding('latin1')
    .on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end);
      const size = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + size) return;
      text = text.slice(end + 4 + size);
      requests += 1;
      seen.add(head.slice(0, head.indexOf(' HTTP')) + /\r\nwebhook-id: *([^\r]+)/i.exec(head)?.[1]);
      lastAt = performance.timeOrigin + performance.now();
      socket.write(RESPONSE);
    }
  });
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));

process.on('message', (question) => {
  if (question === 'reset') {
    seen.clear();
    requests = 0;
  }
  process.send({ requests, deliveries: seen.size, lastAt });
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
