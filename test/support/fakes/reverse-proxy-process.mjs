// A reverse proxy with forward authentication, as a separate process. Argument: { origin, from, users, secret } as JSON: where it
// forwards to, the address it connects from, the role of each user, and headers that it adds. The cookie `proxy_user` names the user. Prints its
// port. Like a real one, it replaces the user headers that a client sends, and appends the client to X-Forwarded-For.
import { once } from 'node:events';
import { createServer, request } from 'node:http';

const { origin, from, users, secret } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(origin);

const server = createServer((incoming, response) => {
  const onward = request(optionsFor(incoming), (back) => {
    response.writeHead(back.statusCode, back.rawHeaders);
    back.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
});

server.on('upgrade', (incoming, socket) => {
  const onward = request(optionsFor(incoming));
  onward.on('upgrade', (back, backSocket, head) => {
    writeHead(socket, back);
    socket.write(head);
    for (const [one, other] of [
      [socket, backSocket],
      [backSocket, socket],
    ]) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  onward.on('response', (back) => {
    writeHead(socket, back);
    back.pipe(socket);
  });
  onward.on('error', () => socket.destroy());
  onward.end();
});

function optionsFor({ method, url, headers, socket }) {
  const { 'remote-user': _, 'remote-role': __, ...forwarded } = headers;
  const name = /(?:^|; )proxy_user=(\w+)/.exec(headers.cookie ?? '')?.[1];
  if (name !== undefined) {
    forwarded['remote-user'] = name;
    if (users[name] !== '') forwarded['remote-role'] = users[name];
  }
  forwarded['x-forwarded-for'] = [headers['x-forwarded-for'], socket.remoteAddress]
    .filter(Boolean)
    .join(', ');
  Object.assign(forwarded, secret, { 'x-forwarded-proto': 'http' });
  return { hostname, port, path: url, method, headers: forwarded, localAddress: from };
}

function writeHead(socket, { statusCode, statusMessage, rawHeaders }) {
  socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n`);
  for (let i = 0; i < rawHeaders.length; i += 2) socket.write(`${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`);
  socket.write('\r\n');
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${server.address().port}\n`);
