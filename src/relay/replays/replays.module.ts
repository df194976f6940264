import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { TargetsModule } from '../targets/targets.module';
import { BackfillsService } from './backfills.service';
import { EventReplaysService } from './event-replays.service';
import { RemovedEventCounter } from './removed-event-counter';
import { PreviewReplayQuery } from './preview-replay.query';
import { ReplayConditionsEraser } from './replay-conditions-eraser';
import { ReplayCompletion } from './replay-completion';
import { ReplayWorker } from './replay.worker';
import { ReplayScheduler } from './replay-scheduler';
import { ReplaysService } from './replays.service';
import { PausedTargets } from './paused-targets';

@Module({
  imports: [DeliveriesModule, EventsModule, TargetsModule],
  providers: [
    BackfillsService,
    EventReplaysService,
    RemovedEventCounter,
    PreviewReplayQuery,
    ReplayCompletion,
    ReplayConditionsEraser,
    ReplayWorker,
    ReplayScheduler,
    ReplaysService,
    PausedTargets,
  ],
  exports: [
    BackfillsService,
    EventReplaysService,
    RemovedEventCounter,
    PreviewReplayQuery,
    ReplayConditionsEraser,
    ReplaysService,
  ],
})
export class ReplaysModule {}
