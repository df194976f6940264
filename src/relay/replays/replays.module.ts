import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { TargetsModule } from '../targets/targets.module';
import { Backfills } from './backfills';
import { EventReplaysService } from './event-replays.service';
import { NoteLosses } from './note-losses';
import { PreviewReplay } from './preview-replay';
import { ReplayEndings } from './replay-endings';
import { ReplayRunner } from './replay-runner';
import { ReplaySchedule } from './replay-schedule';
import { ReplaysService } from './replays.service';
import { PausedTargets } from './paused-targets';

@Module({
  imports: [DeliveriesModule, EventsModule, TargetsModule],
  providers: [
    Backfills,
    EventReplaysService,
    NoteLosses,
    PreviewReplay,
    ReplayEndings,
    ReplayRunner,
    ReplaySchedule,
    ReplaysService,
    PausedTargets,
  ],
  exports: [Backfills, EventReplaysService, PreviewReplay, ReplaysService],
})
export class ReplaysModule {}
