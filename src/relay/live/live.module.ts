import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { OperationsModule } from '../operations/operations.module';
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
    OperationsModule,
    ReplaysModule,
    SubscriptionModule,
  ],
  providers: [AdmitSockets, LiveGateway],
})
export class LiveModule {}
