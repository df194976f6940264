import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { Expectation } from './expectation';
import { Heartbeat } from './heartbeat';
import { Outages } from './outages';
import { Rhythm } from './rhythm';
import { Silence } from './silence';

/** When events may have been missed, and when unusually few come. */
@Module({
  imports: [EventsModule, SubscriptionModule],
  providers: [Expectation, Heartbeat, Outages, Rhythm, Silence],
  exports: [Heartbeat, Outages, Silence],
})
export class OutagesModule {}
