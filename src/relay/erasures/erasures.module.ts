import { Module } from '@nestjs/common';
import { BackupsModule } from '../backups/backups.module';
import { EventsModule } from '../events/events.module';
import { PayloadSchemasModule } from '../payload-schemas/payload-schemas.module';
import { ReplaysModule } from '../replays/replays.module';
import { SavedViewsModule } from '../saved-views/saved-views.module';
import { TargetsModule } from '../targets/targets.module';
import { ErasedTraces } from './erased-traces';
import { ErasureAftermath } from './erasure-aftermath';
import { ErasureWorker } from './erasure.worker';
import { ErasuresService } from './erasures.service';
import { MentioningRecords } from './mentioning-records';

@Module({
  imports: [
    BackupsModule,
    EventsModule,
    PayloadSchemasModule,
    ReplaysModule,
    SavedViewsModule,
    TargetsModule,
  ],
  providers: [ErasedTraces, ErasureAftermath, ErasureWorker, ErasuresService, MentioningRecords],
  exports: [ErasuresService],
})
export class ErasuresModule {}
