import { Module } from '@nestjs/common';
import { BackupsModule } from '../backups/backups.module';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { IntakeModule } from '../intake/intake.module';
import { OutagesModule } from '../outages/outages.module';
import { RouterModule } from '../router/router.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { TargetsModule } from '../targets/targets.module';
import { DeliveryMeter } from './delivery-meter';
import { MetricsQuery } from './metrics.query';
import { StatsService } from './stats.service';
import { TargetHealthQuery } from './target-health.query';
import { TargetSeriesQuery } from './target-series.query';
import { TrafficHistoryStore } from './traffic-history.store';
import { TrafficWorker } from './traffic.worker';

@Module({
  imports: [
    BackupsModule,
    ConnectionModule,
    DeliveriesModule,
    EventsModule,
    IntakeModule,
    OutagesModule,
    RouterModule,
    SubscriptionModule,
    TargetsModule,
  ],
  providers: [
    DeliveryMeter,
    MetricsQuery,
    StatsService,
    TargetHealthQuery,
    TargetSeriesQuery,
    TrafficHistoryStore,
    TrafficWorker,
  ],
  exports: [MetricsQuery, StatsService, TargetHealthQuery, TargetSeriesQuery, TrafficHistoryStore],
})
export class StatsModule {}
