import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { RateLimitedLog } from '../ground/rate-limited-log';
import { Log } from '../ground/log';
import { networkOf } from '../network/network-of';
import { RelayError } from '../ground/relay-error';

const MAX_FAILURES = 10;
const WINDOW_MS = 60_000;
/** Addresses in memory; beyond this the oldest is dropped. */
const MAX_ADDRESSES = 10_000;

/**
 * Limits token guessing to ten wrong tokens a minute for each remote address, in memory. Valid tokens are never
 * limited, so nobody can lock out others who share their address.
 */
@Injectable()
export class LoginAttempts {
  private readonly failures = new Map<string, number[]>();
  private readonly limitedLog: RateLimitedLog;

  constructor(
    private readonly clock: Clock,
    log: Log,
  ) {
    this.limitedLog = new RateLimitedLog(log);
  }

  /**
   * Counts a wrong token.
   * @param via how it was sent: in the login form, or as a bearer token
   * @param error the error for a wrong token
   * @returns `error`, or `too_many_attempts`, 429, once the address is over the limit
   */
  reject(address: string, via: 'token' | 'bearer', error: RelayError): RelayError {
    const waitSeconds = this.secondsUntilAllowed(address);
    if (waitSeconds > 0) {
      return new RelayError('too_many_attempts', 429, 'Too many wrong tokens were sent from this address.', {
        remedy: `Retry in ${waitSeconds} s. A valid token is accepted at any time.`,
        retryAfterSeconds: waitSeconds,
      });
    }
    this.recordFailure(address);
    this.logFailure(address, via);
    return error;
  }

  logFailure(address: string, via: 'token' | 'bearer' | 'link'): void {
    this.limitedLog.warn({ remote: address, via }, 'login rejected');
  }

  /** Called after a login with the admin token. */
  clear(address: string): void {
    this.failures.delete(networkOf(address));
  }

  /** Seconds until this address may send another wrong token; 0: now. */
  private secondsUntilAllowed(address: string): number {
    const oldest = this.latestFailures(address)[MAX_FAILURES - 1];
    if (oldest === undefined) return 0;
    return Math.max(0, Math.ceil((oldest + WINDOW_MS - this.clock.monotonic()) / 1_000));
  }

  private recordFailure(address: string): void {
    const times = [this.clock.monotonic(), ...this.latestFailures(address)].slice(0, MAX_FAILURES);
    this.failures.set(networkOf(address), times);
    const [oldest] = this.failures.keys();
    if (this.failures.size > MAX_ADDRESSES) this.failures.delete(oldest!);
  }

  /** Times of the latest failures, newest first. */
  private latestFailures(address: string): number[] {
    return this.failures.get(networkOf(address)) ?? [];
  }
}
