import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { hostInUrl, type Endpoint } from './endpoint';
import type { ProxyServer } from './outgoing-proxy';

/** Error code of a tunnel that could not be opened, whether by the proxy or because of it. */
export const PROXY_FAILED = 'ERR_PROXY_FAILED';

export interface TunnelOptions {
  /** Resolves the name of the proxy. */
  lookup: LookupFunction;
  timeoutMs: number;
}

/** CONNECT (RFC 9110, 9.3.6). @throws an error with the code `PROXY_FAILED`; its message has no credentials */
export function openTunnel(
  { hostname, port, isSecure, authorization }: ProxyServer,
  { host, port: toPort }: Endpoint,
  { lookup, timeoutMs }: TunnelOptions,
): Promise<Socket> {
  const authority = `${hostInUrl(host)}:${toPort}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(Object.assign(new Error(`no tunnel through the proxy: ${why}`), { code: PROXY_FAILED }));
    const request = (isSecure ? httpsRequest : httpRequest)({
      host: hostname,
      port,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization !== null && { 'proxy-authorization': authorization }) },
      lookup,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return fail(`status ${statusCode}`);
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('response', ({ statusCode }) => {
      request.destroy();
      fail(`status ${statusCode}`);
    });
    request.once('error', ({ name, code = name }: NodeJS.ErrnoException) => fail(code));
    request.end();
  });
}
