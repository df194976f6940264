import { Module } from '@nestjs/common';
import { SubscriptionModule } from '../../subscription/subscription.module';
import { LoopProof } from './reachability';

/** Whether the outside reaches this hub. */
@Module({ imports: [SubscriptionModule], providers: [LoopProof], exports: [LoopProof] })
export class ReachabilityModule {}
