import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { TargetsModule } from '../targets/targets.module';
import { AlertDeadLetters } from './alert-dead-letters';
import { TellStates } from './connection-events';
import { TellTargets } from './target-events';
import { ToldStates } from './published-states';
import { WatchAddresses } from './watch-addresses';
import { WatchClock } from './watch-clock';
import { WatchReachability } from './watch-reachability';
import { WatchSubscription } from './watch-subscription';
import { WatchTargets } from './watch-targets';

/** Tells targets how connection, subscription and other targets stand, through events of our own, and raises alerts. */
@Module({
  imports: [ConnectionModule, DeliveriesModule, EventsModule, SubscriptionModule, TargetsModule],
  providers: [
    AlertDeadLetters,
    TellStates,
    TellTargets,
    ToldStates,
    WatchAddresses,
    WatchClock,
    WatchReachability,
    WatchSubscription,
    WatchTargets,
  ],
})
export class SystemEventsModule {}
