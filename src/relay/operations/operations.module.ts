import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { IntakeModule } from '../intake/intake.module';
import { TargetsModule } from '../targets/targets.module';
import { StatsService } from './stats.service';

@Module({
  imports: [DeliveriesModule, IntakeModule, TargetsModule],
  providers: [StatsService],
  exports: [StatsService],
})
export class OperationsModule {}
