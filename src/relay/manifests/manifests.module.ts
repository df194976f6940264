import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { TargetsModule } from '../targets/targets.module';
import { TransformsModule } from '../transforms/transforms.module';
import { ManifestsService } from './manifests.service';

@Module({
  imports: [DeliveriesModule, TargetsModule, TransformsModule],
  providers: [ManifestsService],
  exports: [ManifestsService],
})
export class ManifestsModule {}
