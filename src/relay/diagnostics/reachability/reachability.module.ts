import { Module } from '@nestjs/common';
import { SubscriptionModule } from '../../subscription/subscription.module';
import { ReachabilityWorker } from './reachability.worker';

/** Checks whether this hub is reachable from outside. */
@Module({ imports: [SubscriptionModule], providers: [ReachabilityWorker], exports: [ReachabilityWorker] })
export class ReachabilityModule {}
