import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { LiveHandshake } from '../../contract/live';
import type { Scope } from '../../contract/token';
import { AccessService } from '../access/access.service';
import { callerOf, type Operator } from '../access/operator';
import { SOCKET_SCOPES } from '../access/scopes';
import { RateLimitedLog } from '../ground/rate-limited-log';
import { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';

const MAX_SOCKETS = 256;
/** All tabs of one browser, or all machines that share a token. */
const MAX_SOCKETS_PER_LOGIN = 32;

const RETRY_AFTER_SECONDS = 30;

/** Of all sockets whose token is still to come, in `auth`. */
const NO_LOGIN = '';

/** Admits or rejects a live socket by the headers of its handshake, before the connection is upgraded. */
@Injectable()
export class SocketAdmission {
  /** Open sockets by login. */
  private readonly open = new Map<string, number>();
  private readonly logins = new WeakMap<IncomingMessage, string>();
  private total = 0;
  private readonly limitedLog: RateLimitedLog;

  constructor(
    private readonly access: AccessService,
    log: Log,
  ) {
    this.limitedLog = new RateLimitedLog(log);
  }

  /**
   * Null if the socket may be opened; it then counts until its connection closes. Otherwise the error from
   * `AccessService`, or `too_many_sockets`, 429.
   */
  admit(request: IncomingMessage): RelayError | null {
    const operator = this.access.admitHandshake(request);
    if (!(operator instanceof RelayError)) return this.count(request, callerOf(operator));
    const { authorization, cookie } = request.headers;
    const hasCredential = authorization !== undefined || cookie !== undefined;
    return hasCredential || operator.code !== 'unauthorized' ? operator : this.count(request, NO_LOGIN);
  }

  /**
   * Checks the login of an open socket again, and lets it count for that. The handshake was admitted by its headers
   * alone, which in a browser do not include the session's secret; and the login may have been revoked since.
   * @returns the errors of `admit`
   */
  async logIn(
    request: IncomingMessage,
    { session, token }: LiveHandshake,
    scopes: readonly Scope[] = SOCKET_SCOPES,
  ): Promise<Operator | RelayError> {
    const { headers, headersDistinct, socket } = request;
    const { authorization = typeof token === 'string' ? `Bearer ${token}` : undefined } = headers;
    const head = { headers: { ...headers, authorization }, headersDistinct, socket };
    const operator = await this.access.admit(head, 'socket', scopes, session);
    if (operator instanceof RelayError || this.logins.get(request) !== NO_LOGIN) return operator;
    return this.count(request, callerOf(operator)) ?? operator;
  }

  private count(request: IncomingMessage, login: string): RelayError | null {
    const before = this.logins.get(request);
    const openOfLogin = this.open.get(login) ?? 0;
    if (openOfLogin >= MAX_SOCKETS_PER_LOGIN || (before === undefined && this.total >= MAX_SOCKETS)) {
      this.limitedLog.warn({ open: this.total }, 'live socket rejected: too many are open');
      return new RelayError('too_many_sockets', 429, 'Too many live sockets are open.', {
        remedy: `Close some. At most ${MAX_SOCKETS_PER_LOGIN} may be open for one login, and ${MAX_SOCKETS} in total.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (before !== undefined) this.releaseSlot(before);
    else request.socket.once('close', () => this.releaseSlot(this.logins.get(request)!));
    this.logins.set(request, login);
    this.total += 1;
    this.open.set(login, openOfLogin + 1);
    return null;
  }

  private releaseSlot(login: string): void {
    this.total -= 1;
    const remaining = this.open.get(login)! - 1;
    if (remaining > 0) this.open.set(login, remaining);
    else this.open.delete(login);
  }
}
