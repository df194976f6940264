import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessService } from '../access/access.service';
import { Open } from '../access/access.decorator';
import { RelayError } from '../ground/relay-error';
import { HealthChecks, type HealthResult } from '../diagnostics/health-checks';

/** For whoever keeps the daemon running. Everybody may ask; the particulars are for the operator. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthChecks,
    private readonly access: AccessService,
  ) {}

  /** The process answers, and nothing else: a restart does not mend a database. */
  @Open()
  @Get('healthz')
  getLiveness(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws RelayError `not_ready`, 503 */
  @Open()
  @Get('readyz')
  async getReadiness(@Req() request: FastifyRequest): Promise<{ status: 'ok'; checks?: HealthResult[] }> {
    const results = await this.checks.run();
    const failed = results.filter(({ ok }) => !ok);
    const operator = await this.access.admit(request, 'read', ['read']);
    const trusted = !(operator instanceof RelayError);
    if (failed.length === 0) return { status: 'ok', ...(trusted && { checks: results }) };
    throw new RelayError('not_ready', 503, 'Switchboard cannot do its work at the moment.', {
      ...(trusted && { errors: failed.map(({ name }) => ({ path: name, message: 'This does not work.' })) }),
    });
  }
}
