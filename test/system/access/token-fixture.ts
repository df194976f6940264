import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { tokenCreated, type Scope, type TokenCreated } from '../../../src/contract/token';
import { Switchboard } from '../../support/daemon/switchboard';
import type { TestResponse } from '../../support/http';

/** Creates a token with these scopes. */
export function makeToken(
  switchboard: Switchboard,
  scopes: Scope[],
  more: { name?: string; expires_at?: string } = {},
): Promise<TokenCreated> {
  const json = { name: scopes.join(' '), scopes, ...more };
  return switchboard.read(tokenCreated, '/tokens', { method: 'POST', json });
}

/** Sends a request with a token. `path` starts at the root. */
export function askWith(
  switchboard: Switchboard,
  secret: string,
  path: string,
  { method = 'GET', json }: { method?: string; json?: unknown } = {},
): Promise<TestResponse> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const type: [string, string][] = json === undefined ? [] : [['content-type', 'application/json']];
  const headers: [string, string][] = [['authorization', `Bearer ${secret}`], ...type];
  return switchboard.wire.send(path, { method, headers, ...body });
}

/** A live socket with a token or a session: the result of its handshake, and whether the daemon has closed it. */
export class LiveProbe {
  closed = false;
  private readonly socket: Socket;
  readonly outcome: Promise<string>;

  constructor(switchboard: Switchboard, credential: string | [string, string][]) {
    const session = new Map(typeof credential === 'string' ? [] : credential);
    const bearer = { authorization: `Bearer ${String(credential)}` };
    this.socket = io(`${switchboard.origin}/live`, {
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

/** All bytes of the database, including its write-ahead log. */
export function stored(switchboard: Switchboard): string {
  const files = readdirSync(switchboard.dataDir).filter((name) => name.startsWith('switchboard.db'));
  return files.map((name) => readFileSync(join(switchboard.dataDir, name), 'latin1')).join('');
}
