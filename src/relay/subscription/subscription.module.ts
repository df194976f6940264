import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { ActiveKeys } from './active-keys';
import { CheckAge } from './check-age';
import { WebhookVerification } from './webhook-verification';
import { DriftStore } from './drift.store';
import { ForeignWebhooks } from './foreign-webhooks';
import { OperatorActionsService } from './operator-actions.service';
import { Reconciliation } from './reconciliation';
import { WebhookRegistration } from './webhook-registration';
import { SubscriptionWorker } from './subscription.worker';
import { RegistrationStore } from './registration.store';
import { ReportedWebhooks } from './reported-webhooks';
import { WebhookDeletion } from './webhook-deletion';
import { Rotation } from './rotation';
import { SubscriptionService } from './subscription.service';
import { WebhookApi } from './webhook-api';

@Module({
  imports: [ConnectionModule],
  providers: [
    RegistrationStore,
    DriftStore,
    ReportedWebhooks,
    ForeignWebhooks,
    ActiveKeys,
    WebhookApi,
    WebhookDeletion,
    WebhookRegistration,
    Rotation,
    WebhookVerification,
    CheckAge,
    Reconciliation,
    SubscriptionWorker,
    OperatorActionsService,
    SubscriptionService,
  ],
  exports: [
    SubscriptionService,
    OperatorActionsService,
    RegistrationStore,
    ActiveKeys,
    CheckAge,
    WebhookVerification,
  ],
})
export class SubscriptionModule {}
