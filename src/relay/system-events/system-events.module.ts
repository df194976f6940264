import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { ConsumersModule } from '../consumers/consumers.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { ReachabilityModule } from '../diagnostics/reachability/reachability.module';
import { EventsModule } from '../events/events.module';
import { PayloadSchemasModule } from '../payload-schemas/payload-schemas.module';
import { RouterModule } from '../router/router.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { TargetsModule } from '../targets/targets.module';
import { DeadLetterAlertsWorker } from './dead-letter-alerts.worker';
import { ConnectionAlertsWorker } from './connection-alerts.worker';
import { ConnectionEventsWorker } from './connection-events.worker';
import { TargetEventsWorker } from './target-events.worker';
import { PublishedStates } from './published-states';
import { AddressAlertsWorker } from './address-alerts.worker';
import { ConsumerAlertsWorker } from './consumer-alerts.worker';
import { ClockAlertsWorker } from './clock-alerts.worker';
import { PayloadAlertsWorker } from './payload-alerts.worker';
import { RouterAlertsWorker } from './router-alerts.worker';
import { ReachabilityAlertsWorker } from './reachability-alerts.worker';
import { SnapshotAlertsWorker } from './snapshot-alerts.worker';
import { SubscriptionAlertsWorker } from './subscription-alerts.worker';
import { TargetAlertsWorker } from './target-alerts.worker';

/** Publishes states of connection, subscription and targets as system events, and raises alerts. */
@Module({
  imports: [
    ConnectionModule,
    ConsumersModule,
    DeliveriesModule,
    EventsModule,
    PayloadSchemasModule,
    ReachabilityModule,
    RouterModule,
    SubscriptionModule,
    TargetsModule,
  ],
  providers: [
    DeadLetterAlertsWorker,
    ConnectionAlertsWorker,
    ConnectionEventsWorker,
    TargetEventsWorker,
    PublishedStates,
    AddressAlertsWorker,
    ClockAlertsWorker,
    ConsumerAlertsWorker,
    PayloadAlertsWorker,
    ReachabilityAlertsWorker,
    RouterAlertsWorker,
    SnapshotAlertsWorker,
    SubscriptionAlertsWorker,
    TargetAlertsWorker,
  ],
})
export class SystemEventsModule {}
