import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { EventsModule } from '../events/events.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { TellStates } from './tell-states';
import { ToldStates } from './told-states';

/** Tells targets how connection and subscription stand, through events of our own. */
@Module({
  imports: [ConnectionModule, EventsModule, SubscriptionModule],
  providers: [TellStates, ToldStates],
})
export class OwnEventsModule {}
