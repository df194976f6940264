import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { tokenCreated, type Scope, type TokenCreated } from '../../../src/contract/token';
import { Switchboard } from '../../support/daemon/switchboard';
import type { TestResponse } from '../../support/http';

/** A token of these scopes, made by the operator. */
export function makeToken(
  board: Switchboard,
  scopes: Scope[],
  more: { name?: string; expires_at?: string } = {},
): Promise<TokenCreated> {
  const json = { name: scopes.join(' '), scopes, ...more };
  return board.read(tokenCreated, '/tokens', { method: 'POST', json });
}

/** Asks under a token; `path` from the root. */
export function askWith(
  board: Switchboard,
  secret: string,
  path: string,
  { method = 'GET', json }: { method?: string; json?: unknown } = {},
): Promise<TestResponse> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const type: [string, string][] = json === undefined ? [] : [['content-type', 'application/json']];
  const headers: [string, string][] = [['authorization', `Bearer ${secret}`], ...type];
  return board.wire.send(path, { method, headers, ...body });
}

/** The live socket under a token, or under both halves of a session: what became of its handshake, and whether the daemon has closed it. */
export class LiveProbe {
  closed = false;
  private readonly socket: Socket;
  readonly outcome: Promise<string>;

  constructor(board: Switchboard, credential: string | [string, string][]) {
    const session = new Map(typeof credential === 'string' ? [] : credential);
    const bearer = { authorization: `Bearer ${String(credential)}` };
    this.socket = io(`${board.origin}/live`, {
      transports: ['websocket'],
      extraHeaders: session.size === 0 ? bearer : Object.fromEntries(session),
      auth: { session: session.get('x-switchboard-request') },
      reconnection: false,
      forceNew: true,
    });
    this.outcome = new Promise((resolve) => {
      this.socket.on('connect', () => resolve('connected'));
      this.socket.on('connect_error', (error) => resolve(error.message));
    });
    this.socket.on('disconnect', () => (this.closed = true));
  }

  close(): void {
    this.socket.close();
  }
}

/** Every byte of the database, its log included. */
export function stored(board: Switchboard): string {
  const files = readdirSync(board.dataDir).filter((name) => name.startsWith('switchboard.db'));
  return files.map((name) => readFileSync(join(board.dataDir, name), 'latin1')).join('');
}
