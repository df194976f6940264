import { Module } from '@nestjs/common';
import { OutagesModule } from '../outages/outages.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { ReachabilityModule } from './reachability/reachability.module';
import { SubscriptionStatusQuery } from './subscription-status.query';

@Module({
  imports: [OutagesModule, ReachabilityModule, SubscriptionModule],
  providers: [SubscriptionStatusQuery],
  exports: [SubscriptionStatusQuery],
})
export class SubscriptionStatusModule {}
