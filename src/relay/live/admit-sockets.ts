import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AccessService } from '../access/access.service';
import { callerOf } from '../access/operator';
import { RepeatLimitedLog } from '../ground/repeat-limited-log';
import { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';

const MOST = 256;
/** Tabs of one browser, or machines that share one token. */
const MOST_OF_ONE_LOGIN = 32;

const RETRY_AFTER_SECONDS = 30;

/** Admits or rejects a live socket by the headers of its handshake, before the connection is upgraded. */
@Injectable()
export class AdmitSockets {
  /** Open sockets by login. */
  private readonly open = new Map<string, number>();
  private total = 0;
  private readonly counted: RepeatLimitedLog;

  constructor(
    private readonly access: AccessService,
    log: Log,
  ) {
    this.counted = new RepeatLimitedLog(log);
  }

  /**
   * Null if the socket may be opened; it counts until its connection closes. Otherwise the error: that of `AccessService`,
   * or `too_many_sockets`, 429.
   */
  refuse(request: IncomingMessage): RelayError | null {
    const operator = this.access.admitHandshake(request);
    if (operator instanceof RelayError) return operator;
    const login = callerOf(operator);
    const ofLogin = this.open.get(login) ?? 0;
    if (ofLogin >= MOST_OF_ONE_LOGIN || this.total >= MOST) {
      this.counted.warn({ open: this.total }, 'live socket refused: too many are open');
      return new RelayError('too_many_sockets', 429, 'Too many live sockets are open.', {
        remedy: `Close some: there may be ${MOST_OF_ONE_LOGIN} for one login, and ${MOST} in all.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.total += 1;
    this.open.set(login, ofLogin + 1);
    request.socket.once('close', () => this.leave(login));
    return null;
  }

  private leave(login: string): void {
    this.total -= 1;
    const left = this.open.get(login)! - 1;
    if (left > 0) this.open.set(login, left);
    else this.open.delete(login);
  }
}
