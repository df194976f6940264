import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { UnusedRecordsWorker } from './unused-records.worker';
import { DiskAlertsWorker } from './disk-alerts.worker';
import { HealthModule } from './health.module';
import { HeartbeatRequestWorker } from './heartbeat-request.worker';

@Module({
  imports: [EventsModule, HealthModule],
  providers: [UnusedRecordsWorker, DiskAlertsWorker, HeartbeatRequestWorker],
})
export class DiagnosticsModule {}
