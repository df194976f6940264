import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { ReachabilityModule } from '../diagnostics/reachability/reachability.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { AckMeter } from './ack-meter';
import { FindRejectionsQuery } from './find-rejections.query';
import { LargeBodies } from './large-bodies';
import { QuarantineStore } from './quarantine.store';
import { NotificationReceiver } from './notification-receiver';
import { RecheckService } from './recheck.service';
import { NotStoredWorker } from './not-stored.worker';

@Module({
  imports: [EventsModule, ReachabilityModule, SubscriptionModule],
  providers: [
    AckMeter,
    FindRejectionsQuery,
    LargeBodies,
    QuarantineStore,
    NotificationReceiver,
    RecheckService,
    NotStoredWorker,
  ],
  exports: [AckMeter, FindRejectionsQuery, QuarantineStore, RecheckService, NotStoredWorker],
})
export class IntakeModule {}
