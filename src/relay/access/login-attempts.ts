import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { RepeatLimitedLog } from '../ground/repeat-limited-log';
import { Log } from '../ground/log';
import { networkOf } from '../network/network-of';
import { RelayError } from '../ground/relay-error';

const FAILURES_ALLOWED = 10;
const WINDOW_MS = 60_000;
/** What is remembered at most; beyond it the address that failed first is forgotten. */
const ADDRESSES = 10_000;

/**
 * Slows down whoever guesses a token: ten wrong ones a minute for each remote address, in memory. A right one is never
 * asked for here, so nobody is locked out by whoever shares his address.
 */
@Injectable()
export class LoginAttempts {
  private readonly failures = new Map<string, number[]>();
  private readonly counted: RepeatLimitedLog;

  constructor(
    private readonly clock: Clock,
    log: Log,
  ) {
    this.counted = new RepeatLimitedLog(log);
  }

  /**
   * Counts a wrong token.
   * @param refusal what to answer as long as the address has not used up its attempts
   * @returns that, or `too_many_attempts`, 429
   */
  refuse(address: string, via: 'token' | 'bearer', refusal: RelayError): RelayError {
    const wait = this.waitSeconds(address);
    if (wait > 0) {
      return new RelayError('too_many_attempts', 429, 'Too many wrong tokens came from this address.', {
        remedy: `Try again in ${wait} s. The right token is let in at any time.`,
        retryAfterSeconds: wait,
      });
    }
    this.noteFailure(address);
    this.logFailure(address, via);
    return refusal;
  }

  /** Logs that somebody was not let in. */
  logFailure(address: string, via: 'token' | 'bearer' | 'link'): void {
    this.counted.warn({ remote: address, via }, 'login refused');
  }

  succeeded(address: string): void {
    this.failures.delete(networkOf(address));
  }

  /** Seconds until a wrong token from this address is counted again; 0: now. */
  private waitSeconds(address: string): number {
    const oldest = this.latest(address)[FAILURES_ALLOWED - 1];
    if (oldest === undefined) return 0;
    return Math.max(0, Math.ceil((oldest + WINDOW_MS - this.clock.monotonic()) / 1_000));
  }

  private noteFailure(address: string): void {
    const times = [this.clock.monotonic(), ...this.latest(address)].slice(0, FAILURES_ALLOWED);
    this.failures.set(networkOf(address), times);
    if (this.failures.size <= ADDRESSES) return;
    for (const first of this.failures.keys()) {
      this.failures.delete(first);
      break;
    }
  }

  /** As many failures as are allowed, the latest first. */
  private latest(address: string): number[] {
    return this.failures.get(networkOf(address)) ?? [];
  }
}
