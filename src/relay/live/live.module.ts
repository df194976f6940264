import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { StatsModule } from '../stats/stats.module';
import { ReplaysModule } from '../replays/replays.module';
import { RouterModule } from '../router/router.module';
import { SnoozesModule } from '../diagnostics/snoozes/snoozes.module';
import { SubscriptionStatusModule } from '../diagnostics/subscription-status.module';
import { TargetsModule } from '../targets/targets.module';
import { SocketAdmission } from './socket-admission';
import { ListenGateway } from './listen.gateway';
import { LiveGateway } from './live.gateway';

@Module({
  imports: [
    AccessModule,
    ConnectionModule,
    DeliveriesModule,
    EventsModule,
    StatsModule,
    ReplaysModule,
    RouterModule,
    SnoozesModule,
    SubscriptionStatusModule,
    TargetsModule,
  ],
  providers: [SocketAdmission, ListenGateway, LiveGateway],
})
export class LiveModule {}
