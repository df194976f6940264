import { Module } from '@nestjs/common';
import { TargetsModule } from '../targets/targets.module';
import { Backlog } from './backlog';
import { Breakers } from './breakers';
import { DeadLetters } from './dead-letters';
import { DeliveriesService } from './deliveries.service';
import { DeliveryIndexes } from './delivery-indexes';
import { DeliveryJobs } from './delivery-jobs';
import { Dispatcher } from './dispatcher';
import { EndDeliveries } from './end-deliveries';
import { TargetProbe } from './target-probe';
import { TargetStates } from './target-states';

const PARTS = [
  Backlog,
  Breakers,
  DeadLetters,
  DeliveriesService,
  DeliveryIndexes,
  DeliveryJobs,
  Dispatcher,
  EndDeliveries,
  TargetProbe,
  TargetStates,
];

@Module({ imports: [TargetsModule], providers: PARTS, exports: PARTS })
export class DeliveriesModule {}
