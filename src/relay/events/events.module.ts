import { Module } from '@nestjs/common';
import { Journal } from '../database/journal';
import { Reader } from '../database/reader';
import { TextIndex } from '../database/text-index/text-index';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { TargetsModule } from '../targets/targets.module';
import { Alerts } from './alerts';
import { CountEvents } from './search/count-events';
import { Duplicates } from './duplicates';
import { EventIndexes } from './search/event-indexes';
import { EventsService } from './events.service';
import { ExportEvents } from './export-events';
import { FindEvents } from './search/find-events';
import { SystemEvents } from './system-events';
import { PreviewFilter } from './search/preview-filter';
import { PrunableEvents } from './retention/prunable-events';
import { Retention } from './retention/retention';

const TEXT_INDEX = {
  provide: TextIndex,
  inject: [Settings, Reader, Journal, Log],
  useFactory: (settings: Settings, reader: Reader, journal: Journal, log: Log) =>
    new TextIndex(settings.databaseFile, reader, journal, log),
};

@Module({
  imports: [TargetsModule, DeliveriesModule],
  providers: [
    TEXT_INDEX,
    Alerts,
    Duplicates,
    EventIndexes,
    CountEvents,
    ExportEvents,
    EventsService,
    FindEvents,
    SystemEvents,
    PreviewFilter,
    PrunableEvents,
    Retention,
  ],
  exports: [
    Alerts,
    ExportEvents,
    Duplicates,
    EventsService,
    FindEvents,
    SystemEvents,
    PreviewFilter,
    Retention,
  ],
})
export class EventsModule {}
