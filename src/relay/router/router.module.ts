import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { TargetsModule } from '../targets/targets.module';
import { RouterWorker } from './router.worker';

@Module({
  imports: [DeliveriesModule, TargetsModule],
  providers: [RouterWorker],
  exports: [RouterWorker],
})
export class RouterModule {}
