import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { Expectation } from './expected-traffic';
import { Heartbeat } from './heartbeat';
import { Outages } from './outages';
import { Rhythm } from './traffic-baseline';
import { Silence } from './silence-detector';

/** When events may have been missed, and when unusually few come. */
@Module({
  imports: [EventsModule, SubscriptionModule],
  providers: [Expectation, Heartbeat, Outages, Rhythm, Silence],
  exports: [Heartbeat, Outages, Silence],
})
export class OutagesModule {}
