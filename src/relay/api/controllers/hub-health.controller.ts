import { Controller, Get } from '@nestjs/common';
import { hubHealth, type HubHealth } from '../../../contract/health';
import { Access } from '../../access/access.decorator';
import { HubHealthQuery } from '../../diagnostics/hub-health/hub-health.query';
import { Returns } from '../../http/responses';

@Controller('api/v1/health')
export class HubHealthController {
  constructor(private readonly health: HubHealthQuery) {}

  @Get()
  @Access('read')
  @Returns(200, hubHealth, 'Whether all is well, and everything that needs attention, the most severe first')
  readHealth(): Promise<HubHealth> {
    return this.health.read();
  }
}
