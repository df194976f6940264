import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { AckMeter } from './ack-meter';
import { NotStoredWorker } from './not-stored.worker';

@Module({
  imports: [EventsModule],
  providers: [AckMeter, NotStoredWorker],
  exports: [AckMeter, NotStoredWorker],
})
export class NotStoredModule {}
