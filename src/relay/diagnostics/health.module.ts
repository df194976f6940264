import { Module } from '@nestjs/common';
import { HealthChecks } from './health-checks';

@Module({ providers: [HealthChecks], exports: [HealthChecks] })
export class HealthModule {}
