import * as net from 'node:net';

/** A handle of Node, as its cluster module uses them. */
interface Handle {
  fd: number;
  close: () => void;
}

const { _createServerHandle: bind } = net as unknown as {
  _createServerHandle: (address: string, port: number, family: 4 | 6) => Handle | number;
};

/**
 * A socket that this process holds open without accepting connections, as systemd does for a socket unit. The processes
 * that get its file descriptor listen on it; while none runs, connections wait in its queue.
 */
export function openSocket(address = '127.0.0.1'): Handle {
  const handle = bind(address, 0, 4);
  if (typeof handle === 'number') throw new Error(`The socket could not be bound (${handle}).`);
  return handle;
}
