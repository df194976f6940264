import { Module } from '@nestjs/common';
import { ConnectionModule } from '../../connection/connection.module';
import { DeliveriesModule } from '../../deliveries/deliveries.module';
import { EventsModule } from '../../events/events.module';
import { IntakeModule } from '../../intake/intake.module';
import { OutagesModule } from '../../outages/outages.module';
import { StatsModule } from '../../stats/stats.module';
import { TargetsModule } from '../../targets/targets.module';
import { SnoozesModule } from '../snoozes/snoozes.module';
import { SubscriptionStatusModule } from '../subscription-status.module';
import { HubHealthQuery } from './hub-health.query';

@Module({
  imports: [
    ConnectionModule,
    DeliveriesModule,
    EventsModule,
    IntakeModule,
    OutagesModule,
    SnoozesModule,
    StatsModule,
    SubscriptionStatusModule,
    TargetsModule,
  ],
  providers: [HubHealthQuery],
  exports: [HubHealthQuery],
})
export class HubHealthModule {}
