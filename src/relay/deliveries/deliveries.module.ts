import { Module } from '@nestjs/common';
import { TargetsModule } from '../targets/targets.module';
import { Backlog } from './backlog';
import { DeliveriesService } from './deliveries.service';
import { Dispatcher } from './dispatcher';
import { TargetProbe } from './target-probe';

@Module({
  imports: [TargetsModule],
  providers: [Backlog, DeliveriesService, Dispatcher, TargetProbe],
  exports: [Backlog, DeliveriesService, Dispatcher, TargetProbe],
})
export class DeliveriesModule {}
