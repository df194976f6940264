import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { openTunnel, type TunnelOptions } from './open-tunnel';
import type { ProxyServer } from './outgoing-proxy';

type ConnectOptions = ClientRequestArgs & ConnectionOptions;
type Done = (error: Error | null, socket?: Socket) => void;

/** Makes an agent of Node connect through a proxy, which resolves the host names. */
export function throughProxy<Agent extends HttpAgent>(
  agent: Agent,
  proxy: ProxyServer,
  options: TunnelOptions,
): Agent {
  const openWithCallback = callbackify((to: ConnectOptions) =>
    openTunnel(proxy, { host: to.host ?? '', port: Number(to.port) }, options),
  );
  const createConnection = (to: ConnectOptions, done: Done): void => {
    openWithCallback(to, (error, socket) => {
      if (error !== null) done(error);
      else done(null, agent instanceof HttpsAgent ? connectTls({ ...to, socket }) : socket);
    });
  };
  return Object.assign(agent, { createConnection });
}
