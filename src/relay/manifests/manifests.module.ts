import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { TargetsModule } from '../targets/targets.module';
import { ManifestsService } from './manifests.service';

@Module({
  imports: [DeliveriesModule, TargetsModule],
  providers: [ManifestsService],
  exports: [ManifestsService],
})
export class ManifestsModule {}
