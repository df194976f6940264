import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { REQUEST_HEADER } from '../../contract/session';
import { RelayError } from '../relay-error';
import { AdminToken } from './admin-token';
import type { Operator } from './operator';
import { OwnAddress } from './own-address';
import { SessionCookie } from './session-cookie';
import { SessionsService } from './sessions.service';

/**
 * What a request is about to do: `read` and `change` are safe and unsafe methods, `socket` is the handshake of a live
 * connection.
 */
export type Intent = 'read' | 'change' | 'socket';

/** Who may come in. A browser sends its cookie for any page that asks, so with a cookie the page is looked at as well. */
@Injectable()
export class AccessService {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly own: OwnAddress,
  ) {}

  /** The operator behind a request, or the refusal to answer with: 401, or 403 where the page is not one of ours. */
  async admit(headers: IncomingHttpHeaders, intent: Intent): Promise<Operator | RelayError> {
    const bearer = /^bearer\s+(.*)$/i.exec(headers.authorization ?? '');
    if (bearer !== null) {
      const known = this.adminToken.matches(bearer[1] ?? '');
      return known ? { via: 'token', sessionId: null, expiresAt: null } : unauthorized();
    }
    const token = this.cookie.read(headers);
    const session = token === null ? null : await this.sessions.find(token);
    if (session === null) return unauthorized();
    return (
      this.refusePage(headers, intent) ?? {
        via: 'session',
        sessionId: session.id,
        expiresAt: session.expiresAt,
      }
    );
  }

  /** Told after a session is revoked: what was admitted under its `sessionId` is to be closed. */
  onRevoked(listener: (sessionId: string) => void): void {
    this.sessions.onRevoked(listener);
  }

  private refusePage(headers: IncomingHttpHeaders, intent: Intent): RelayError | null {
    const { host, origin } = headers;
    if (!this.own.isOwnHost(host)) {
      return refused('host_refused', 'This session is not good under the host name that was used.', {
        remedy:
          'Open the dashboard at the address in PUBLIC_URL, or by a loopback address on the same machine.',
      });
    }
    // Browsers leave Origin out of a page's own GET, which a long-polling handshake is, but never out of a WebSocket's.
    const needsOrigin = intent === 'change' || (intent === 'socket' && headers.upgrade !== undefined);
    const hasForeignOrigin = origin !== undefined && intent !== 'read' && !this.own.isOwnOrigin(origin, host);
    if (hasForeignOrigin || (needsOrigin && origin === undefined)) {
      return refused(
        'origin_refused',
        'With a session, this is for the dashboard only, and the Origin is not its own.',
        {
          remedy: 'Use the dashboard, or send the admin token as Authorization: Bearer <token>.',
        },
      );
    }
    if (intent === 'change' && headers[REQUEST_HEADER] === undefined) {
      return refused('header_missing', `With a session, a change wants the header ${REQUEST_HEADER}.`, {
        remedy: `Send ${REQUEST_HEADER}: 1, or the admin token as Authorization: Bearer <token>.`,
      });
    }
    return null;
  }
}

function unauthorized(): RelayError {
  return new RelayError(
    'unauthorized',
    401,
    'This wants the admin token or a session, and neither came with it.',
    {
      remedy:
        'Send Authorization: Bearer <token> (DATA_DIR/admin.token), or log in with the link that `switchboard login-link` prints.',
    },
  );
}

function refused(code: string, detail: string, particulars: { remedy: string }): RelayError {
  return new RelayError(code, 403, detail, particulars);
}
