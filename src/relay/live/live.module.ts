import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { StatsModule } from '../stats/stats.module';
import { ReplaysModule } from '../replays/replays.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { AdmitSockets } from './admit-sockets';
import { LiveGateway } from './live.gateway';

@Module({
  imports: [
    AccessModule,
    ConnectionModule,
    DeliveriesModule,
    EventsModule,
    StatsModule,
    ReplaysModule,
    SubscriptionModule,
  ],
  providers: [AdmitSockets, LiveGateway],
})
export class LiveModule {}
