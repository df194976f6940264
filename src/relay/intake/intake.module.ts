import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { LoopProofModule } from '../loop-proof/loop-proof.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { AckMeter } from './ack-meter';
import { Quarantine } from './quarantine';
import { ReceiveNotifications } from './receive-notifications';
import { RefusedNotifications } from './refused-notifications';

@Module({
  imports: [EventsModule, LoopProofModule, SubscriptionModule],
  providers: [AckMeter, Quarantine, ReceiveNotifications, RefusedNotifications],
  exports: [AckMeter, Quarantine],
})
export class IntakeModule {}
