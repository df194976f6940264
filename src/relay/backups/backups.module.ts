import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { BackupsService } from './backups.service';
import { ScheduledBackupsWorker } from './scheduled-backups.worker';

@Module({
  imports: [EventsModule],
  providers: [BackupsService, ScheduledBackupsWorker],
  exports: [BackupsService, ScheduledBackupsWorker],
})
export class BackupsModule {}
