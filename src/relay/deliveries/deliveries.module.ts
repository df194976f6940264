import { Module } from '@nestjs/common';
import { TargetsModule } from '../targets/targets.module';
import { Backlog } from './backlog';
import { Breakers } from './breakers';
import { DeliveriesService } from './deliveries.service';
import { Dispatcher } from './dispatcher';
import { TargetProbe } from './target-probe';
import { TargetStates } from './target-states';

@Module({
  imports: [TargetsModule],
  providers: [Backlog, Breakers, DeliveriesService, Dispatcher, TargetProbe, TargetStates],
  exports: [Backlog, Breakers, DeliveriesService, Dispatcher, TargetProbe, TargetStates],
})
export class DeliveriesModule {}
