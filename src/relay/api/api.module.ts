import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AccessService } from '../access/access.service';
import { AccessModule } from '../access/access.module';
import { AuditModule } from '../audit/audit.module';
import { ConsumersModule } from '../consumers/consumers.module';
import { ConnectionModule } from '../connection/connection.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { ErasuresModule } from '../erasures/erasures.module';
import { HeldReads } from '../events/following/held-reads.service';
import { EventsModule } from '../events/events.module';
import { IntakeModule } from '../intake/intake.module';
import { LedgerModule } from '../diagnostics/ledger/ledger.module';
import { ReachabilityModule } from '../diagnostics/reachability/reachability.module';
import { PayloadSchemasModule } from '../payload-schemas/payload-schemas.module';
import { SavedViewsModule } from '../saved-views/saved-views.module';
import { SnoozesModule } from '../diagnostics/snoozes/snoozes.module';
import { StatsModule } from '../stats/stats.module';
import { OutagesModule } from '../outages/outages.module';
import { RepairsModule } from '../repairs/repairs.module';
import { ReplaysModule } from '../replays/replays.module';
import { SubscriptionModule } from '../subscription/subscription.module';
import { SubscriptionStatusModule } from '../diagnostics/subscription-status.module';
import { TargetsModule } from '../targets/targets.module';
import { TransformsModule } from '../transforms/transforms.module';
import { AccessApiModule } from './access-api.module';
import { AlertsController } from './controllers/alerts.controller';
import { BackupsModule } from '../backups/backups.module';
import { AuditController } from './controllers/audit.controller';
import { BackupsController } from './controllers/backups.controller';
import { ConnectionController } from './controllers/connection.controller';
import { ConsumersController } from './controllers/consumers.controller';
import { ConsentCookie } from './consent-cookie';
import { DaemonsController } from './controllers/daemons.controller';
import { DeadLettersController } from './controllers/dead-letters.controller';
import { DeliveriesController } from './controllers/deliveries.controller';
import { DuplicatesController } from './controllers/duplicates.controller';
import { EntitiesController } from './controllers/entities.controller';
import { ErasuresController } from './controllers/erasures.controller';
import { EventsController } from './controllers/events.controller';
import { HubHealthController } from './controllers/hub-health.controller';
import { HubHealthModule } from '../diagnostics/hub-health/hub-health.module';
import { LedgerController } from './controllers/ledger.controller';
import { ManifestsController } from './controllers/manifests.controller';
import { ManifestsModule } from '../manifests/manifests.module';
import { LimitReadsInterceptor } from './limit-reads.interceptor';
import { MetricsController } from './controllers/metrics.controller';
import { OauthController } from './controllers/oauth.controller';
import { OpenApi } from './openapi/openapi';
import { OpenApiController } from './openapi/openapi.controller';
import { OutagesController } from './controllers/outages.controller';
import { ListenerTargets } from './listener-targets';
import { TargetPresenter } from './target-presenter';
import { RejectionsController } from './controllers/rejections.controller';
import { RepairsController } from './controllers/repairs.controller';
import { ReplaysController } from './controllers/replays.controller';
import { SandboxController } from './controllers/sandbox.controller';
import { SavedViewsController } from './controllers/saved-views.controller';
import { SettingsController } from './controllers/settings.controller';
import { SnoozesController } from './controllers/snoozes.controller';
import { StatsController } from './controllers/stats.controller';
import { SubscriptionController } from './controllers/subscription.controller';
import { TypesController } from './controllers/types.controller';
import { TargetTestsController } from './controllers/target-tests.controller';
import { TargetsController } from './controllers/targets.controller';

@Module({
  imports: [
    AccessApiModule,
    AccessModule,
    AuditModule,
    BackupsModule,
    ConnectionModule,
    ConsumersModule,
    DeliveriesModule,
    ErasuresModule,
    EventsModule,
    HubHealthModule,
    IntakeModule,
    LedgerModule,
    ManifestsModule,
    PayloadSchemasModule,
    ReachabilityModule,
    SavedViewsModule,
    SnoozesModule,
    StatsModule,
    OutagesModule,
    RepairsModule,
    ReplaysModule,
    SubscriptionModule,
    SubscriptionStatusModule,
    TargetsModule,
    TransformsModule,
  ],
  controllers: [
    AlertsController,
    AuditController,
    BackupsController,
    ConnectionController,
    ConsumersController,
    DaemonsController,
    DeadLettersController,
    DeliveriesController,
    DuplicatesController,
    EntitiesController,
    ErasuresController,
    EventsController,
    HubHealthController,
    LedgerController,
    ManifestsController,
    MetricsController,
    OauthController,
    OpenApiController,
    OutagesController,
    RejectionsController,
    RepairsController,
    ReplaysController,
    SandboxController,
    SavedViewsController,
    SettingsController,
    SnoozesController,
    StatsController,
    SubscriptionController,
    TargetTestsController,
    TargetsController,
    TypesController,
  ],
  providers: [
    ConsentCookie,
    OpenApi,
    ListenerTargets,
    TargetPresenter,
    { provide: APP_INTERCEPTOR, useClass: LimitReadsInterceptor },
  ],
  exports: [OpenApi],
})
export class ApiModule implements OnModuleInit {
  constructor(
    private readonly access: AccessService,
    private readonly held: HeldReads,
  ) {}

  onModuleInit(): void {
    this.access.onRevoked((credentialId) => this.held.endOf(credentialId));
  }
}
