import { Module } from '@nestjs/common';
import { TargetsModule } from '../targets/targets.module';
import { Backlog } from './queue/backlog';
import { Breakers } from './sending/breakers';
import { DeadLetters } from './dead-letters/dead-letters';
import { DeliveriesService } from './deliveries.service';
import { DeliveryIndexes } from './delivery-indexes';
import { DeliveryJobs } from './dead-letters/delivery-jobs';
import { Dispatcher } from './queue/dispatcher';
import { EndDeliveries } from './end-deliveries';
import { TargetProbe } from './sending/target-probe';
import { TargetStates } from './queue/target-states';

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
