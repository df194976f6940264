import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { IntakeModule } from '../intake/intake.module';
import { OutagesModule } from '../outages/outages.module';
import { TargetsModule } from '../targets/targets.module';
import { StatsService } from './stats.service';
import { TrafficHistory } from './traffic-history';
import { TrafficUpkeep } from './traffic-upkeep';

@Module({
  imports: [DeliveriesModule, EventsModule, IntakeModule, OutagesModule, TargetsModule],
  providers: [StatsService, TrafficHistory, TrafficUpkeep],
  exports: [StatsService, TrafficHistory],
})
export class StatsModule {}
