import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { ReachabilityModule } from '../diagnostics/reachability/reachability.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { AckMeter } from './ack-meter';
import { FindRejections } from './find-rejections';
import { LargeBodies } from './large-bodies';
import { Quarantine } from './quarantine';
import { ReceiveNotifications } from './receive-notifications';
import { Recheck } from './recheck';
import { RefusedNotifications } from './refused-notifications';

@Module({
  imports: [EventsModule, ReachabilityModule, SubscriptionModule],
  providers: [
    AckMeter,
    FindRejections,
    LargeBodies,
    Quarantine,
    ReceiveNotifications,
    Recheck,
    RefusedNotifications,
  ],
  exports: [AckMeter, FindRejections, Quarantine, Recheck, RefusedNotifications],
})
export class IntakeModule {}
