import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { ReachabilityModule } from '../diagnostics/reachability/reachability.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { FindRejectionsQuery } from './find-rejections.query';
import { LargeBodies } from './large-bodies';
import { QuarantineStore } from './quarantine.store';
import { NotificationReceiver } from './notification-receiver';
import { RecheckService } from './recheck.service';
import { NotStoredModule } from './not-stored.module';

@Module({
  imports: [EventsModule, NotStoredModule, ReachabilityModule, SubscriptionModule],
  providers: [FindRejectionsQuery, LargeBodies, QuarantineStore, NotificationReceiver, RecheckService],
  exports: [NotStoredModule, FindRejectionsQuery, QuarantineStore, RecheckService],
})
export class IntakeModule {}
