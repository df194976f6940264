import { request } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Handshake {
  status: number;
  /** The error code, or null if it was upgraded. */
  code: string | null;
  retryAfter: string | null;
  /** Null if it was rejected. */
  socket: Duplex | null;
}

/** The raw WebSocket handshake of a live connection, without a client library. */
export function openHandshake(
  port: number,
  headers: Record<string, string> = {},
  localAddress?: string,
): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const path = '/socket.io/?EIO=4&transport=websocket';
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      agent: false,
      headers: { ...upgrade, ...headers },
      ...(localAddress && { localAddress }),
    });
    outgoing.on('upgrade', (_, socket) => resolve({ status: 101, code: null, retryAfter: null, socket }));
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code: string };
        const retryAfter = incoming.headers['retry-after'] ?? null;
        resolve({ status: incoming.statusCode ?? 0, code, retryAfter, socket: null });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
