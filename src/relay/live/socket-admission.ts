import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AccessService } from '../access/access.service';
import { callerOf } from '../access/operator';
import { RateLimitedLog } from '../ground/rate-limited-log';
import { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';

const MAX_SOCKETS = 256;
/** All tabs of one browser, or all machines that share a token. */
const MAX_SOCKETS_PER_LOGIN = 32;

const RETRY_AFTER_SECONDS = 30;

/** Admits or rejects a live socket by the headers of its handshake, before the connection is upgraded. */
@Injectable()
export class SocketAdmission {
  /** Open sockets by login. */
  private readonly open = new Map<string, number>();
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
    if (operator instanceof RelayError) return operator;
    const login = callerOf(operator);
    const openOfLogin = this.open.get(login) ?? 0;
    if (openOfLogin >= MAX_SOCKETS_PER_LOGIN || this.total >= MAX_SOCKETS) {
      this.limitedLog.warn({ open: this.total }, 'live socket rejected: too many are open');
      return new RelayError('too_many_sockets', 429, 'Too many live sockets are open.', {
        remedy: `Close some. At most ${MAX_SOCKETS_PER_LOGIN} may be open for one login, and ${MAX_SOCKETS} in total.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.total += 1;
    this.open.set(login, openOfLogin + 1);
    request.socket.once('close', () => this.releaseSlot(login));
    return null;
  }

  private releaseSlot(login: string): void {
    this.total -= 1;
    const remaining = this.open.get(login)! - 1;
    if (remaining > 0) this.open.set(login, remaining);
    else this.open.delete(login);
  }
}
