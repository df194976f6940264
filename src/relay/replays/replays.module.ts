import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { TargetsModule } from '../targets/targets.module';
import { EventReplaysService } from './event-replays.service';
import { PreviewReplay } from './preview-replay';
import { ReplayRunner } from './replay-runner';
import { ReplaysService } from './replays.service';

@Module({
  imports: [EventsModule, TargetsModule],
  providers: [EventReplaysService, PreviewReplay, ReplayRunner, ReplaysService],
  exports: [EventReplaysService, PreviewReplay, ReplaysService],
})
export class ReplaysModule {}
