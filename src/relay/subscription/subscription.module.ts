import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { ActiveKeys } from './active-keys';
import { CheckAge } from './check-age';
import { WebhookVerification } from './webhook-verification';
import { Drifts } from './drifts';
import { UnknownWebhooks } from './unknown-webhooks';
import { OperatorActions } from './operator-actions';
import { WebhookRegistration } from './webhook-registration';
import { SubscriptionReconciler } from './subscription-reconciler';
import { Registrations } from './registrations';
import { ReportedWebhooks } from './reported-webhooks';
import { WebhookDeletion } from './webhook-deletion';
import { Rotation } from './rotation';
import { SubscriptionService } from './subscription.service';
import { WebhookApi } from './webhook-api';

@Module({
  imports: [ConnectionModule],
  providers: [
    Registrations,
    Drifts,
    ReportedWebhooks,
    UnknownWebhooks,
    ActiveKeys,
    WebhookApi,
    WebhookDeletion,
    WebhookRegistration,
    Rotation,
    WebhookVerification,
    CheckAge,
    SubscriptionReconciler,
    OperatorActions,
    SubscriptionService,
  ],
  exports: [SubscriptionService],
})
export class SubscriptionModule {}
