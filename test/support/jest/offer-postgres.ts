import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { POSTGRES_OFFER, PostgresServer } from '../postgres-server';

let offer: Server | null = null;
let started: Promise<PostgresServer> | null = null;

/**
 * A project's global setup: starts one PostgreSQL server for all workers when the first one asks for it at the address in
 * the environment.
 */
export default async function offerPostgres(): Promise<void> {
  if (offer !== null) return;
  offer = createServer((_, response) => {
    started ??= PostgresServer.start();
    started.then(
      ({ url, programs }) => response.end(JSON.stringify({ url, programs })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  offer.listen(0, '127.0.0.1');
  await once(offer, 'listening');
  process.env[POSTGRES_OFFER] = `http://127.0.0.1:${(offer.address() as AddressInfo).port}/`;
}

export async function endPostgres(): Promise<void> {
  offer?.close();
  offer?.closeAllConnections();
  const server = await started?.catch(() => null);
  await server?.remove();
}
