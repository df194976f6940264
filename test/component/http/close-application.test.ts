import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeApplication } from '../../../src/relay/http/close-application';

it('An application that does not close in time frees its port', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const app = { close: () => new Promise<void>(() => {}), getHttpServer: () => server };

  await closeApplication(app, 1);

  const next = createServer().listen(port, '127.0.0.1');
  await once(next, 'listening');
  next.close();
});
