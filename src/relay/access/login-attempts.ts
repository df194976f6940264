import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Clock } from '../clock';

const FAILURES_ALLOWED = 10;
const WINDOW_MS = 60_000;
/** What is remembered at most; beyond it the address that failed first is forgotten. */
const ADDRESSES = 10_000;

/** Slows down whoever guesses the admin token: ten failures a minute for each remote address. In memory. */
@Injectable()
export class LoginAttempts {
  private readonly failures = new Map<string, number[]>();

  constructor(private readonly clock: Clock) {}

  /** Seconds until this address may try again; 0: now. */
  waitSeconds(address: string): number {
    const oldest = this.latest(address)[FAILURES_ALLOWED - 1];
    if (oldest === undefined) return 0;
    return Math.max(0, Math.ceil((oldest + WINDOW_MS - this.clock.monotonic()) / 1_000));
  }

  failed(address: string): void {
    const times = [this.clock.monotonic(), ...this.latest(address)].slice(0, FAILURES_ALLOWED);
    this.failures.set(networkOf(address), times);
    if (this.failures.size <= ADDRESSES) return;
    for (const first of this.failures.keys()) {
      this.failures.delete(first);
      break;
    }
  }

  succeeded(address: string): void {
    this.failures.delete(networkOf(address));
  }

  /** As many failures as are allowed, the latest first. */
  private latest(address: string): number[] {
    return this.failures.get(networkOf(address)) ?? [];
  }
}

/** One IPv6 customer commands a whole /64, so that counts as one address. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
