import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { NotStoredModule } from '../intake/not-stored.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { ExpectedTraffic } from './expected-traffic';
import { GapEventsModule } from './gap-events.module';
import { HeartbeatWorker } from './heartbeat.worker';
import { LostRowsWorker } from './lost-rows.worker';
import { OutageStore } from './outage.store';
import { RefusalsWorker } from './refusals.worker';
import { TrafficBaseline } from './traffic-baseline';
import { SilenceWorker } from './silence.worker';
import { UnregisteredWorker } from './unregistered.worker';

/** Detects when events may have been missed, and unusual silence. */
@Module({
  imports: [EventsModule, GapEventsModule, NotStoredModule, SubscriptionModule],
  // In this order: the silence worker needs the downtime that the heartbeat worker detects at startup.
  providers: [
    ExpectedTraffic,
    HeartbeatWorker,
    LostRowsWorker,
    OutageStore,
    RefusalsWorker,
    TrafficBaseline,
    SilenceWorker,
    UnregisteredWorker,
  ],
  exports: [HeartbeatWorker, OutageStore, SilenceWorker],
})
export class OutagesModule {}
