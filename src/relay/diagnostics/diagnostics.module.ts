import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { UnusedRecordsWorker } from './unused-records.worker';
import { DiskAlertsWorker } from './disk-alerts.worker';
import { MachineAlertsWorker } from './machine-alerts.worker';
import { HealthModule } from './health.module';
import { HubHealthModule } from './hub-health/hub-health.module';
import { HeartbeatRequestWorker } from './heartbeat-request.worker';

@Module({
  imports: [EventsModule, HealthModule, HubHealthModule],
  providers: [UnusedRecordsWorker, DiskAlertsWorker, MachineAlertsWorker, HeartbeatRequestWorker],
})
export class DiagnosticsModule {}
