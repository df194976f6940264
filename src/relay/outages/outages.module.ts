import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { ExpectedTraffic } from './expected-traffic';
import { Heartbeat } from './heartbeat';
import { Outages } from './outages';
import { TrafficBaseline } from './traffic-baseline';
import { SilenceDetector } from './silence-detector';

/** Detects when events may have been missed, and unusual silence. */
@Module({
  imports: [EventsModule, SubscriptionModule],
  providers: [ExpectedTraffic, Heartbeat, Outages, TrafficBaseline, SilenceDetector],
  exports: [Heartbeat, Outages, SilenceDetector],
})
export class OutagesModule {}
