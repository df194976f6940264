import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { SESSION_HEADER } from '../../contract/constants';
import type { ProblemCode } from '../../contract/problem-codes';
import type { Scope } from '../../contract/token';
import { RelayError } from '../ground/relay-error';
import { unauthorized } from '../http/describe-problem';
import { ClientAddress } from '../settings/client-address';
import { Settings } from '../settings/settings';
import { AdminToken } from './admin-token';
import { bearerToken } from './bearer-token';
import { LoginAttempts } from './login-attempts';
import type { Operator } from './operator';
import { AllowedHosts } from './allowed-hosts';
import { ForwardedUser, type User } from './forwarded-user';
import { Clock } from '../ground/clock';
import { isDelivery } from '../targets/reserved-headers';
import { allows, ALL_SCOPES, HANDSHAKE_SCOPES, SOCKET_SCOPES } from './scopes';
import { SessionCookie } from './session-cookie';
import { type SessionRecord, SessionsService } from './sessions.service';
import { TokensService } from './tokens.service';

/** `read` and `change` are safe and unsafe methods, `socket` is the handshake of a live socket. */
export type Intent = 'read' | 'change' | 'socket';

/** What authentication needs of a request. */
type RequestHead = Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'socket'>;

/** Who a request is from, by its credential. */
type Caller = Omit<Operator, 'mask'>;

/** A user's socket is closed after this time, so that its next handshake passes the proxy again. */
const USER_SOCKET_LIFETIME_MS = 60 * 60 * 1_000;

/**
 * Authenticates and authorizes requests. Browsers attach the cookie, and a proxy the user, to requests of any page,
 * so for sessions and users `Host` and `Origin` are checked, too.
 */
@Injectable()
export class AccessService {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly sessions: SessionsService,
    private readonly tokens: TokensService,
    private readonly cookie: SessionCookie,
    private readonly users: ForwardedUser,
    private readonly hosts: AllowedHosts,
    private readonly clock: Clock,
    private readonly attempts: LoginAttempts,
    private readonly clientAddress: ClientAddress,
    private readonly settings: Settings,
  ) {}

  /**
   * The operator behind a request, or the error to respond with: 401; 403 if the page is of another origin or an API
   * token lacks the scope; 429 after too many wrong tokens.
   * @param scopes one of these is required; if empty, any login is sufficient
   * @param secret the secret half of a session: by default from its header; a live socket sends it in `auth`
   */
  async admit(
    request: RequestHead,
    intent: Intent,
    scopes: readonly Scope[] = intent === 'socket' ? SOCKET_SCOPES : [],
    secret: unknown = request.headers[SESSION_HEADER],
  ): Promise<Operator | RelayError> {
    const sessionSecret = typeof secret === 'string' ? secret : undefined;
    return this.masked(
      this.admitWith(request, intent, scopes, (tokens) => this.sessions.find(tokens, sessionSecret)),
    );
  }

  /**
   * Like `admit`, for a socket that is not open yet. A browser's handshake has only the cookie; the secret follows,
   * and is checked before anything is sent.
   */
  admitHandshake(request: RequestHead): Operator | RelayError {
    return this.masked(
      this.admitWith(request, 'socket', HANDSHAKE_SCOPES, (tokens) => this.sessions.identify(tokens)),
    );
  }

  /**
   * The user that the proxy names, or the operator whose cookie was sent. This only identifies and must not
   * authorize: browsers send the cookie to every port of the host, and both to requests of any page.
   */
  identify(request: RequestHead): Caller | null {
    if (isDelivery(request.headers)) return null;
    const user = this.users.of(request);
    if (user !== null) return user instanceof RelayError ? null : operatorOfUser(user, null);
    const session = this.sessions.identify(this.cookie.read(request.headers));
    return session === null ? null : this.operatorOf(session);
  }

  /** An open socket counts as use of its session. */
  recordUse(credentialId: string): void {
    const session = this.sessions.byId(credentialId);
    if (session !== null) this.sessions.recordUse(session);
  }

  /**
   * Calls `listener` after a session or API token is revoked, to close the connections admitted under its
   * `credentialId`.
   */
  onRevoked(listener: (credentialId: string) => void): void {
    this.sessions.onRevoked(listener);
    this.tokens.onRevoked(listener);
  }

  /** The operator that a caller is: the only place that says who sees masked values. */
  private masked(caller: Caller | RelayError): Operator | RelayError {
    if (caller instanceof RelayError) return caller;
    return { ...caller, mask: allows(caller.scopes, ['reveal']) ? null : this.settings.mask };
  }

  private admitWith(
    request: RequestHead,
    intent: Intent,
    scopes: readonly Scope[],
    findSession: (cookies: readonly string[]) => SessionRecord | null,
  ): Caller | RelayError {
    const { headers } = request;
    const bearer = bearerToken(headers);
    if (bearer !== null) {
      return (
        this.admitBearer(bearer, scopes) ??
        this.attempts.reject(this.clientAddress.of(request), 'bearer', unauthorized())
      );
    }
    if (isDelivery(headers)) return deliveryRejected();
    // Before the session: a cookie may remain from another person.
    const user = this.users.of(request);
    if (user instanceof RelayError) return user;
    if (user !== null) return this.admitUser(user, headers, intent, scopes);
    const session = findSession(this.cookie.read(headers));
    return session === null
      ? unauthorized(this.users.isMissing(request))
      : (this.checkHostAndOrigin(headers, intent) ?? this.operatorOf(session));
  }

  /** Like a session, but the header needs no secret: only our pages can send it (Fetch standard, CORS preflight). */
  private admitUser(
    user: User,
    headers: IncomingHttpHeaders,
    intent: Intent,
    required: readonly Scope[],
  ): Caller | RelayError {
    const error = this.checkHostAndOrigin(headers, intent);
    if (error !== null) return error;
    if (intent !== 'socket' && headers[SESSION_HEADER] === undefined) return requestHeaderMissing();
    if (required.length > 0 && !allows(user.scopes, required))
      return scopeMissing(`the user "${user.name}"`, user.scopes, required);
    return operatorOfUser(user, intent === 'socket' ? this.clock.now() + USER_SOCKET_LIFETIME_MS : null);
  }

  private operatorOf(session: SessionRecord): Caller {
    const expiresAt = this.sessions.expiryOf(session);
    return { via: 'session', credentialId: session.id, name: null, scopes: ALL_SCOPES, expiresAt };
  }

  /** Null for an unknown token. */
  private admitBearer(secret: string, required: readonly Scope[]): Caller | RelayError | null {
    if (this.adminToken.matches(secret))
      return { via: 'token', credentialId: null, name: null, scopes: ALL_SCOPES, expiresAt: null };
    const token = this.tokens.find(secret);
    if (token === null) return null;
    const { id, name, scopes, expiresAt, revokedAt } = token;
    if (revokedAt !== null) return invalidCredential('token_revoked', `The API token "${name}" was revoked.`);
    if (this.tokens.isExpired(token))
      return invalidCredential('token_expired', `The API token "${name}" has expired.`);
    if (required.length > 0 && !allows(scopes, required))
      return scopeMissing(`the API token "${name}"`, scopes, required);
    this.tokens.recordUse(token);
    return { via: 'api_token', credentialId: id, name, scopes, expiresAt };
  }

  private checkHostAndOrigin(headers: IncomingHttpHeaders, intent: Intent): RelayError | null {
    const { host, origin } = headers;
    const hostRejection = this.hosts.rejection(host);
    if (hostRejection !== null) return hostRejection;
    // Browsers omit Origin from a same-origin GET, such as a long-polling handshake, but never from a WebSocket
    // handshake.
    const needsOrigin = intent === 'change' || (intent === 'socket' && headers.upgrade !== undefined);
    const hasForeignOrigin =
      origin !== undefined && intent !== 'read' && !this.hosts.isAllowedOrigin(origin, host);
    if (hasForeignOrigin || (needsOrigin && origin === undefined)) {
      return forbidden(
        'origin_rejected',
        'The request was not sent by the dashboard: its Origin is missing or different. Sessions are only for the dashboard.',
        { remedy: 'Use the dashboard, or send a token as Authorization: Bearer <token>.' },
      );
    }
    return null;
  }
}

function invalidCredential(code: 'token_revoked' | 'token_expired', detail: string): RelayError {
  return new RelayError(code, 401, detail, {
    remedy: "Create another one in the dashboard's settings, or with POST /api/v1/tokens.",
  });
}

const quoted = (scopes: readonly Scope[], separator: string) =>
  scopes.map((scope) => `\`${scope}\``).join(separator);

function scopeMissing(holder: string, granted: readonly Scope[], required: readonly Scope[]): RelayError {
  return new RelayError(
    'scope_missing',
    403,
    `The scope ${quoted(required, ' or ')} is required; ${holder} has ${quoted(granted, ', ')}.`,
    {
      remedy:
        'Use a token with this scope, or a role that includes it. The scopes of an existing token cannot be changed.',
    },
  );
}

const operatorOfUser = ({ name, scopes }: User, expiresAt: number | null): Caller => ({
  via: 'user',
  credentialId: `user:${name}`,
  name,
  scopes,
  expiresAt,
});

/** Its sender chose its other headers, among them those in which a proxy names users. */
const deliveryRejected = () =>
  forbidden(
    'delivery_rejected',
    'The request is a delivery of a Switchboard hub, which acts for no user and no session.',
    { remedy: 'Give the target a token: its header Authorization: Bearer <token>.' },
  );

const requestHeaderMissing = () =>
  forbidden(
    'request_header_missing',
    `The request has no ${SESSION_HEADER} header, so a page of another site may have caused it.`,
    { remedy: 'Use the dashboard, or send a token as Authorization: Bearer <token>.' },
  );

function forbidden(code: ProblemCode, detail: string, options: { remedy: string }): RelayError {
  return new RelayError(code, 403, detail, options);
}
