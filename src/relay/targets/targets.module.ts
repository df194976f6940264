import { Module } from '@nestjs/common';
import { AddressGuard } from './address-guard';
import { TransformsModule } from '../transforms/transforms.module';
import { TargetFollower } from './target-follower';
import { TargetPausesWorker } from './target-pauses.worker';
import { TargetsService } from './targets.service';

@Module({
  imports: [TransformsModule],
  providers: [AddressGuard, TargetFollower, TargetPausesWorker, TargetsService],
  exports: [AddressGuard, TargetPausesWorker, TargetsService],
})
export class TargetsModule {}
