import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { GapEvents } from './gap-events';

@Module({ imports: [EventsModule], providers: [GapEvents], exports: [GapEvents] })
export class GapEventsModule {}
