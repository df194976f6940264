import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { ActiveKeys } from './active-keys';
import { CheckAge } from './check-age';
import { Checking } from './checking';
import { Drifts } from './drifts';
import { ForeignWebhooks } from './foreign-webhooks';
import { OperatorActs } from './operator-acts';
import { Registering } from './registering';
import { Registrar } from './registrar';
import { Registrations } from './registrations';
import { ReportedWebhooks } from './reported-webhooks';
import { Removal } from './removal';
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
