import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AccessModule } from './access/access.module';
import { ApiModule } from './api/api.module';
import { DeliveryEntity } from './deliveries/delivery.entity';
import { EventEntity } from './events/event.entity';
import { GroundModule, type Ground } from './ground.module';
import { LiveModule } from './live/live.module';
import { DiagnosticsModule } from './diagnostics/diagnostics.module';
import { SystemEventsModule } from './system-events/system-events.module';
import { TargetEntity } from './targets/target.entity';

/** The entities read through TypeORM. */
export const ENTITIES = [DeliveryEntity, EventEntity, TargetEntity];

/** The root module: all features, with the services they share. */
@Module({})
export class RelayModule {
  static with(ground: Ground): DynamicModule {
    return {
      module: RelayModule,
      imports: [
        GroundModule.with(ground),
        ScheduleModule.forRoot(),
        AccessModule,
        ApiModule,
        DiagnosticsModule,
        LiveModule,
        SystemEventsModule,
      ],
    };
  }
}
