import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module';
import { ActiveKeys } from './active-keys';
import { Checking } from './checking';
import { Registering } from './registering';
import { Registrar } from './registrar';
import { Registrations } from './registrations';
import { Removal } from './removal';
import { SubscriptionService } from './subscription.service';
import { WebhookApi } from './webhook-api';

@Module({
  imports: [ConnectionModule],
  providers: [
    Registrations,
    ActiveKeys,
    WebhookApi,
    Removal,
    Registering,
    Checking,
    Registrar,
    SubscriptionService,
  ],
  exports: [SubscriptionService],
})
export class SubscriptionModule {}
