import { Module } from '@nestjs/common';
import { AddressGuard } from './address-guard';
import { TargetFollower } from './target-follower';
import { TargetPausesWorker } from './target-pauses.worker';
import { TargetsService } from './targets.service';

@Module({
  providers: [AddressGuard, TargetFollower, TargetPausesWorker, TargetsService],
  exports: [AddressGuard, TargetPausesWorker, TargetsService],
})
export class TargetsModule {}
