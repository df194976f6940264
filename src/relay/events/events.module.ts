import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { TargetsModule } from '../targets/targets.module';
import { Duplicates } from './duplicates';
import { EventsService } from './events.service';
import { FindEvents } from './find-events';
import { OwnEvents } from './own-events';
import { PreviewFilter } from './preview-filter';
import { Retention } from './retention';

@Module({
  imports: [TargetsModule, DeliveriesModule],
  providers: [Duplicates, EventsService, FindEvents, OwnEvents, PreviewFilter, Retention],
  exports: [Duplicates, EventsService, FindEvents, OwnEvents, PreviewFilter, Retention],
})
export class EventsModule {}
