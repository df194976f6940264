// A target that the benchmarks deliver to.
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @param onDelivery called with the parsed body of each delivery, and the response to send
 * @returns { url, close() }
 */
export async function callbackReceiver(onDelivery) {
  const server = createServer((incoming, response) => {
    const parts = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => onDelivery(JSON.parse(Buffer.concat(parts).toString()), response));
  }).listen(0, '127.0.0.1');
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
