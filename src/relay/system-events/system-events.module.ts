import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { TargetsModule } from '../targets/targets.module';
import { AlertDeadLetters } from './alert-dead-letters';
import { ConnectionEvents } from './connection-events';
import { TargetEvents } from './target-events';
import { PublishedStates } from './published-states';
import { WatchAddresses } from './watch-addresses';
import { WatchClock } from './watch-clock';
import { WatchReachability } from './watch-reachability';
import { WatchSubscription } from './watch-subscription';
import { WatchTargets } from './watch-targets';

/** Publishes states of connection, subscription and targets as system events, and raises alerts. */
@Module({
  imports: [ConnectionModule, DeliveriesModule, EventsModule, SubscriptionModule, TargetsModule],
  providers: [
    AlertDeadLetters,
    ConnectionEvents,
    TargetEvents,
    PublishedStates,
    WatchAddresses,
    WatchClock,
    WatchReachability,
    WatchSubscription,
    WatchTargets,
  ],
})
export class SystemEventsModule {}
