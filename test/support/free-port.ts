import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux, macOS and Windows assign higher ports to outgoing connections and to servers without a port of their own. */
const [FIRST_PORT, END_PORT] = [10_000, 32_768];

/**
 * An unused port, for settings that need it before the server listens, and for servers that are restarted: no connection
 * takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
