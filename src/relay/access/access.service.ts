import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { REQUEST_HEADER } from '../../contract/session';
import type { Scope } from '../../contract/token';
import { RelayError } from '../ground/relay-error';
import { ClientAddress } from '../settings/client-address';
import { AdminToken } from './admin-token';
import { LoginAttempts } from './login-attempts';
import type { Operator } from './operator';
import { OwnAddress } from './own-address';
import { allows, ALL_SCOPES, SOCKET_SCOPES } from './scopes';
import { SessionCookie } from './session-cookie';
import type { KnownSession } from './session-row';
import { SessionsService } from './sessions.service';
import { TokensService } from './tokens.service';

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
    private readonly tokens: TokensService,
    private readonly cookie: SessionCookie,
    private readonly own: OwnAddress,
    private readonly attempts: LoginAttempts,
    private readonly client: ClientAddress,
  ) {}

  /**
   * The operator behind a request, or the refusal to answer with: 401, or 403 where the page is not one of ours or an API
   * token has none of the scopes, or 429 after too many wrong tokens.
   * @param scopes either will do; none: any login will
   * @param secret the second half of a session; a socket's handshake carries it elsewhere
   */
  async admit(
    request: Pick<IncomingMessage, 'headers' | 'socket'>,
    intent: Intent,
    scopes: readonly Scope[] = intent === 'socket' ? SOCKET_SCOPES : [],
    secret: unknown = request.headers[REQUEST_HEADER],
  ): Promise<Operator | RelayError> {
    const given = typeof secret === 'string' ? secret : undefined;
    return this.admitBy(request, intent, scopes, (tokens) => this.sessions.find(tokens, given));
  }

  /**
   * As `admit`, for a socket that is not open yet. A browser's handshake has the cookie alone: the secret follows, and is asked
   * for before anything is told.
   */
  admitHandshake(request: Pick<IncomingMessage, 'headers' | 'socket'>): Operator | RelayError {
    return this.admitBy(request, 'socket', SOCKET_SCOPES, (tokens) => this.sessions.recognize(tokens));
  }

  /**
   * Whose cookie came. Enough to put a name to what is allowed anyway, or to hand out a page that has the rest: any other port
   * of the host is sent the cookie as well.
   */
  recognize({ headers }: Pick<IncomingMessage, 'headers'>): Operator | null {
    const session = this.sessions.recognize(this.cookie.read(headers));
    return session === null ? null : this.operatorOf(session);
  }

  /** A connection that stays open counts as use of its session. */
  noteUse(credentialId: string): void {
    const session = this.sessions.byId(credentialId);
    if (session !== null) this.sessions.noteUse(session);
  }

  /** Told after a session or an API token is revoked: what was admitted under its `credentialId` is to be closed. */
  onRevoked(listener: (credentialId: string) => void): void {
    this.sessions.onRevoked(listener);
    this.tokens.onRevoked(listener);
  }

  private admitBy(
    request: Pick<IncomingMessage, 'headers' | 'socket'>,
    intent: Intent,
    scopes: readonly Scope[],
    sessionBy: (cookies: readonly string[]) => KnownSession | null,
  ): Operator | RelayError {
    const { headers } = request;
    const bearer = /^bearer\s+(.*)$/i.exec(headers.authorization ?? '');
    if (bearer !== null) {
      return (
        this.admitBearer(bearer[1] ?? '', scopes) ??
        this.attempts.refuse(this.client.of(request), 'bearer', unauthorized())
      );
    }
    const session = sessionBy(this.cookie.read(headers));
    return session === null ? unauthorized() : (this.refusePage(headers, intent) ?? this.operatorOf(session));
  }

  private operatorOf(session: KnownSession): Operator {
    const expiresAt = this.sessions.endOf(session);
    return { via: 'session', credentialId: session.id, name: null, scopes: ALL_SCOPES, expiresAt };
  }

  /** Null for a token that is none of ours. */
  private admitBearer(secret: string, wanted: readonly Scope[]): Operator | RelayError | null {
    if (this.adminToken.matches(secret))
      return { via: 'token', credentialId: null, name: null, scopes: ALL_SCOPES, expiresAt: null };
    const token = this.tokens.find(secret);
    if (token === null) return null;
    const { id, name, scopes, expiresAt, revokedAt } = token;
    if (revokedAt !== null) return ended('token_revoked', `The API token "${name}" was revoked.`);
    if (this.tokens.isExpired(token)) return ended('token_expired', `The API token "${name}" has expired.`);
    if (wanted.length > 0 && !allows(scopes, wanted)) return scopeMissing(name, scopes, wanted);
    this.tokens.noteUse(token);
    return { via: 'api_token', credentialId: id, name, scopes, expiresAt };
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
    return null;
  }
}

function unauthorized(): RelayError {
  return new RelayError(
    'unauthorized',
    401,
    'This wants a token or a session, and no good one came with it.',
    {
      remedy:
        'Send Authorization: Bearer <token> (DATA_DIR/admin.token), or log in with the link that `switchboard login-link` prints.',
    },
  );
}

function ended(code: 'token_revoked' | 'token_expired', detail: string): RelayError {
  return new RelayError(code, 401, detail, {
    remedy: "Make another one in the dashboard's settings, or with POST /api/v1/tokens.",
  });
}

const quoted = (scopes: readonly Scope[], between: string) =>
  scopes.map((scope) => `\`${scope}\``).join(between);

function scopeMissing(name: string, granted: readonly Scope[], wanted: readonly Scope[]): RelayError {
  return new RelayError(
    'scope_missing',
    403,
    `This wants the scope ${quoted(wanted, ' or ')}; the API token "${name}" has ${quoted(granted, ', ')}.`,
    { remedy: 'Use a token that has it: a token keeps the scopes that it was made with.' },
  );
}

function refused(code: string, detail: string, particulars: { remedy: string }): RelayError {
  return new RelayError(code, 403, detail, particulars);
}
