import { Module } from '@nestjs/common';
import { SubscriptionModule } from '../../subscription/subscription.module';
import { ReachabilityProbe } from './reachability-probe';

/** Checks whether this hub is reachable from outside. */
@Module({ imports: [SubscriptionModule], providers: [ReachabilityProbe], exports: [ReachabilityProbe] })
export class ReachabilityModule {}
