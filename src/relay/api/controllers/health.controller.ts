import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { liveness, readiness, type Readiness } from '../../../contract/health';
import { AccessService } from '../../access/access.service';
import { Open } from '../../access/access.decorator';
import { RelayError } from '../../ground/relay-error';
import { HubHealthQuery } from '../../diagnostics/hub-health/hub-health.query';
import { HealthService } from '../../diagnostics/health.service';
import { Fails, Returns } from '../../http/responses';

/** Health checks for service managers. They are open to everyone, but only operators see the details. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthService,
    private readonly health: HubHealthQuery,
    private readonly access: AccessService,
  ) {}

  /** Liveness checks no dependencies: a restart would not repair the database. */
  @Open()
  @Get('healthz')
  @Returns(200, liveness, 'The daemon is alive')
  getLiveness(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws RelayError `not_ready`, 503 */
  @Open()
  @Get('readyz')
  @Returns(200, readiness, 'The hub is ready; operators see the checks, and what needs attention')
  @Fails('not_ready')
  async getReadiness(@Req() request: FastifyRequest): Promise<Readiness> {
    const results = await this.checks.run();
    const failed = results.filter(({ ok }) => !ok);
    const operator = await this.access.admit(request.raw, 'read', ['read']);
    const isOperator = !(operator instanceof RelayError);
    if (failed.length === 0)
      return { status: 'ok', ...(isOperator && { checks: results, health: await this.health.read() }) };
    throw new RelayError('not_ready', 503, 'Switchboard is not ready: a health check failed.', {
      ...(isOperator && { errors: failed.map(({ name }) => ({ path: name, message: 'The check failed.' })) }),
    });
  }
}
