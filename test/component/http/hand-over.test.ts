import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { HandOver } from '../../../src/relay/several-daemons/hand-over';

const CONNECTIONS = 20;

/** Connects, says so, and posts what each connection received. */
const CLIENTS = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, count, connected } } = require('node:worker_threads');
  for (let n = 0; n < count; n += 1) {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');
      Atomics.add(connected, 0, 1);
      Atomics.notify(connected, 0);
    });
    socket.on('data', (data) => (received += data));
    socket.on('error', ({ code }) => (received = code));
    socket.on('close', () => parentPort.postMessage(received.split('\\r\\n')[0]));
  }`;

it('answers requests of connections that were not accepted yet', async () => {
  const server = createServer((_, response) => response.end('ok'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const handOver = new HandOver(server);
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const clients = new Worker(CLIENTS, { eval: true, workerData: { port, count: CONNECTIONS, connected } });
  const answers: string[] = [];
  clients.on('message', (answer: string) => answers.push(answer));
  const ended = once(clients, 'exit');
  // Blocks the event loop, so that all of them wait in the kernel's queue.
  for (let count = 0; count < CONNECTIONS; count = Atomics.load(connected, 0))
    Atomics.wait(connected, 0, count, 5_000);
  await handOver.run();
  await ended;
  expect(answers).toEqual(Array.from({ length: CONNECTIONS }, () => 'HTTP/1.1 200 OK'));
});
