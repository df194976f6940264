import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { IntakeModule } from '../intake/intake.module';
import { OutagesModule } from '../outages/outages.module';
import { TargetsModule } from '../targets/targets.module';
import { StatsService } from './stats.service';
import { TrafficHistoryStore } from './traffic-history.store';
import { TrafficWorker } from './traffic.worker';

@Module({
  imports: [DeliveriesModule, EventsModule, IntakeModule, OutagesModule, TargetsModule],
  providers: [StatsService, TrafficHistoryStore, TrafficWorker],
  exports: [StatsService, TrafficHistoryStore],
})
export class StatsModule {}
