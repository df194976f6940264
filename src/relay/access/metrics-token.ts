import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isSameSecret } from '../secrets/is-same-secret';
import { Settings } from '../settings/settings';
import { bearerToken } from './bearer-token';

/** `SWITCHBOARD_METRICS_TOKEN`, with which a scraper reads the metrics and nothing else. */
@Injectable()
export class MetricsToken {
  constructor(private readonly settings: Settings) {}

  /** Whether a request has this token. */
  admits({ headers }: { headers: IncomingHttpHeaders }): boolean {
    const token = bearerToken(headers);
    const { metricsToken } = this.settings;
    return token !== null && metricsToken !== null && isSameSecret(token, metricsToken);
  }
}
