import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { EventsModule } from '../events/events.module';
import { IntakeModule } from '../intake/intake.module';
import { OperationsModule } from '../operations/operations.module';
import { ReplaysModule } from '../replays/replays.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { TargetsModule } from '../targets/targets.module';
import { ConnectionController } from './connection.controller';
import { DeliveriesController } from './deliveries.controller';
import { EventsController } from './events.controller';
import { OauthController } from './oauth.controller';
import { OpenApi } from './openapi';
import { OpenApiController } from './openapi.controller';
import { PresentTarget } from './present-target';
import { StatsController } from './stats.controller';
import { SubscriptionController } from './subscription.controller';
import { TargetsController } from './targets.controller';

@Module({
  imports: [
    ConnectionModule,
    DeliveriesModule,
    EventsModule,
    IntakeModule,
    OperationsModule,
    ReplaysModule,
    SubscriptionModule,
    TargetsModule,
  ],
  controllers: [
    ConnectionController,
    DeliveriesController,
    EventsController,
    OauthController,
    OpenApiController,
    StatsController,
    SubscriptionController,
    TargetsController,
  ],
  providers: [OpenApi, PresentTarget],
  exports: [OpenApi],
})
export class ApiModule {}
