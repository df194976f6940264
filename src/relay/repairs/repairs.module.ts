import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { EventsModule } from '../events/events.module';
import { OutagesModule } from '../outages/outages.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { TargetsModule } from '../targets/targets.module';
import { AppliedRepairsQuery } from './applied-repairs.query';
import { PreviewedTargets } from './previewed-targets';
import { DealsApi } from './reading/deals-api';
import { RepairReading } from './reading/repair-reading';
import { RepairApplying } from './repair-applying';
import { RepairWorker } from './repair.worker';
import { RepairsService } from './repairs.service';

@Module({
  imports: [ConnectionModule, EventsModule, OutagesModule, SubscriptionModule, TargetsModule],
  providers: [
    AppliedRepairsQuery,
    DealsApi,
    PreviewedTargets,
    RepairApplying,
    RepairReading,
    RepairWorker,
    RepairsService,
  ],
  exports: [AppliedRepairsQuery, RepairsService],
})
export class RepairsModule {}
