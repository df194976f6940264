import { Controller, Get } from '@nestjs/common';
import { Open } from '../../access/access.decorator';
import { HealthService } from '../../diagnostics/health.service';
import { RelayError } from '../../ground/relay-error';

/** Of a daemon that does not lead: as `HealthController` answers to everyone. */
@Controller()
export class FollowerHealthController {
  constructor(private readonly checks: HealthService) {}

  @Open()
  @Get('healthz')
  getLiveness(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws RelayError `not_ready`, 503 */
  @Open()
  @Get('readyz')
  async getReadiness(): Promise<{ status: 'ok' }> {
    const results = await this.checks.run();
    if (results.every(({ ok }) => ok)) return { status: 'ok' };
    throw new RelayError('not_ready', 503, 'Switchboard is not ready: a health check failed.');
  }
}
