import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { UnusedRecordsWorker } from './unused-records.worker';
import { DiskAlertsWorker } from './disk-alerts.worker';

@Module({ imports: [EventsModule], providers: [UnusedRecordsWorker, DiskAlertsWorker] })
export class DiagnosticsModule {}
