import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { HealthChecks } from './health-checks';
import { HealthController } from './health.controller';

@Module({
  imports: [AccessModule],
  controllers: [HealthController],
  providers: [HealthChecks],
  exports: [HealthChecks],
})
export class HealthModule {}
