import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { TargetsModule } from '../targets/targets.module';
import { Backfills } from './backfills';
import { EventReplaysService } from './event-replays.service';
import { NoteLosses } from './note-losses';
import { PreviewReplay } from './preview-replay';
import { ReplayRunner } from './replay-runner';
import { ReplaysService } from './replays.service';

@Module({
  imports: [EventsModule, TargetsModule],
  providers: [Backfills, EventReplaysService, NoteLosses, PreviewReplay, ReplayRunner, ReplaysService],
  exports: [Backfills, EventReplaysService, PreviewReplay, ReplaysService],
})
export class ReplaysModule {}
