import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Settings } from '../settings/settings';
import { bearerToken } from './bearer-token';
import { hashToken } from './token-secret';

/** `SWITCHBOARD_METRICS_TOKEN`, with which a scraper reads the metrics and nothing else. */
@Injectable()
export class MetricsToken {
  private readonly hash: Buffer | null;

  constructor({ metricsToken }: Settings) {
    this.hash = metricsToken === null ? null : Buffer.from(hashToken(metricsToken));
  }

  /** Whether a request has this token. */
  admits({ headers }: { headers: IncomingHttpHeaders }): boolean {
    const token = bearerToken(headers);
    return token !== null && this.hash !== null && timingSafeEqual(this.hash, Buffer.from(hashToken(token)));
  }
}
