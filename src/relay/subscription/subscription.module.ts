import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { ActiveKeys } from './active-keys';
import { CheckAge } from './check-age';
import { Checking } from './webhook-verification';
import { Drifts } from './drifts';
import { ForeignWebhooks } from './unknown-webhooks';
import { OperatorActs } from './operator-acts';
import { Registering } from './webhook-registration';
import { Registrar } from './subscription-reconciler';
import { Registrations } from './registrations';
import { ReportedWebhooks } from './reported-webhooks';
import { Removal } from './webhook-deletion';
import { Rotation } from './rotation';
import { SubscriptionService } from './subscription.service';
import { WebhookApi } from './webhook-api';

@Module({
  imports: [ConnectionModule],
  providers: [
    Registrations,
    Drifts,
    ReportedWebhooks,
    ForeignWebhooks,
    ActiveKeys,
    WebhookApi,
    Removal,
    Registering,
    Rotation,
    Checking,
    CheckAge,
    Registrar,
    OperatorActs,
    SubscriptionService,
  ],
  exports: [SubscriptionService],
})
export class SubscriptionModule {}
