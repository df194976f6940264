import { Module } from '@nestjs/common';
import { Journal } from '../database/journal/journal';
import { Reader } from '../database/reading/reader';
import { SqliteReader } from '../database/sqlite/sqlite-reader';
import { TextIndex } from '../database/sqlite/text-index/text-index';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { TargetsModule } from '../targets/targets.module';
import { TransformsModule } from '../transforms/transforms.module';
import { AsOfQuery } from './entities/as-of.query';
import { ChangedEntitiesQuery } from './entities/changed-entities.query';
import { EntitiesService } from './entities/entities.service';
import { EntityStatesQuery } from './entities/entity-states.query';
import { ExportEntitiesQuery } from './entities/export-entities.query';
import { FindEntitiesQuery } from './entities/find-entities.query';
import { MatchEntitiesQuery } from './entities/match-entities.query';
import { WalkEntitiesQuery } from './entities/walk-entities.query';
import { AlertsService } from './alerts.service';
import { CountEventsQuery } from './search/count-events.query';
import { Downloads } from './downloads.service';
import { DuplicatesService } from './duplicates.service';
import { EventIndexes } from './search/event-indexes';
import { EventsService } from './events.service';
import { ExplainEventQuery } from './explain/explain-event.query';
import { ExportEventsQuery } from './export-events.query';
import { ExportPace } from './export-pace';
import { FindEventsQuery } from './search/find-events.query';
import { HeldReads } from './following/held-reads.service';
import { NextEventsQuery } from './following/next-events.query';
import { MatchingEventsQuery } from './search/matching-events.query';
import { ReadFieldsQuery } from './search/read-fields.query';
import { SurveyEventsQuery } from './search/survey-events.query';
import { SystemEventsService } from './system-events.service';
import { LearnFieldsQuery } from './search/learn-fields.query';
import { PreviewFilterQuery } from './search/preview-filter.query';
import { PreviewTransformQuery } from './search/preview-transform.query';
import { EntityFloor } from './retention/entity-floor.service';
import { PrunableEventsQuery } from './retention/prunable-events.query';
import { RetentionWorker } from './retention/retention.worker';

const TEXT_INDEX = {
  provide: TextIndex,
  inject: [Settings, Reader, Journal, Log],
  useFactory: (settings: Settings, reader: Reader, journal: Journal, log: Log) =>
    new TextIndex(settings.databaseFile, reader instanceof SqliteReader ? reader : null, journal, log),
};

@Module({
  imports: [TransformsModule, TargetsModule, DeliveriesModule],
  providers: [
    TEXT_INDEX,
    AlertsService,
    AsOfQuery,
    ChangedEntitiesQuery,
    Downloads,
    DuplicatesService,
    EntitiesService,
    EntityFloor,
    EntityStatesQuery,
    ExportEntitiesQuery,
    FindEntitiesQuery,
    MatchEntitiesQuery,
    WalkEntitiesQuery,
    EventIndexes,
    CountEventsQuery,
    ExplainEventQuery,
    ExportEventsQuery,
    ExportPace,
    EventsService,
    FindEventsQuery,
    HeldReads,
    MatchingEventsQuery,
    NextEventsQuery,
    ReadFieldsQuery,
    SurveyEventsQuery,
    SystemEventsService,
    LearnFieldsQuery,
    PreviewFilterQuery,
    PreviewTransformQuery,
    PrunableEventsQuery,
    RetentionWorker,
  ],
  exports: [
    TextIndex,
    AlertsService,
    ChangedEntitiesQuery,
    ExplainEventQuery,
    CountEventsQuery,
    ExportEntitiesQuery,
    ExportEventsQuery,
    DuplicatesService,
    EntitiesService,
    EntityStatesQuery,
    EventsService,
    FindEntitiesQuery,
    FindEventsQuery,
    HeldReads,
    NextEventsQuery,
    SystemEventsService,
    LearnFieldsQuery,
    PreviewFilterQuery,
    PreviewTransformQuery,
    RetentionWorker,
    WalkEntitiesQuery,
  ],
})
export class EventsModule {}
