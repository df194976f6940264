import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { UnusedRecords } from './unused-records';
import { WatchDisk } from './watch-disk';

@Module({ imports: [EventsModule], providers: [UnusedRecords, WatchDisk] })
export class DiagnosticsModule {}
