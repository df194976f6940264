import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { TargetsModule } from '../targets/targets.module';
import { ReplaysService } from './replays.service';

@Module({ imports: [EventsModule, TargetsModule], providers: [ReplaysService], exports: [ReplaysService] })
export class ReplaysModule {}
