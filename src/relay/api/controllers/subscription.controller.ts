import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import * as contract from '../../../contract/subscription';
import { Access } from '../../access/access.decorator';
import { SubscriptionStatusQuery } from '../../diagnostics/subscription-status.query';
import { OperatorActionsService } from '../../subscription/operator-actions.service';
import { Fails, Returns } from '../../http/responses';

@Controller('api/v1/subscription')
export class SubscriptionController {
  constructor(
    private readonly status: SubscriptionStatusQuery,
    private readonly actions: OperatorActionsService,
  ) {}

  @Get()
  @Access('read')
  @Returns(200, contract.subscription, 'The webhook at Co-Pilot')
  getSubscription(): contract.Subscription {
    return this.status.read();
  }

  @Post('repair')
  @Access('operate', 'subscription.repair')
  @Returns(200, contract.subscription, 'Reconciled: checked at Co-Pilot, and repaired if necessary')
  @Fails('not_connected')
  async repairSubscription(): Promise<contract.Subscription> {
    await this.actions.repair();
    return this.status.read();
  }

  @Post('rotate')
  @Access('operate', 'subscription.rotate')
  @Returns(
    200,
    contract.subscription,
    'A new key and secret; if the outcome is unclear, the rotation continues automatically',
  )
  @Fails('not_connected', 'not_registered', 'second_webhook_rejected')
  async rotateSubscription(
    @Body({ schema: contract.rotationRequest }) { delete_first: deleteFirst }: contract.RotationRequest,
  ): Promise<contract.Subscription> {
    await this.actions.rotate(deleteFirst);
    return this.status.read();
  }

  @Delete('webhooks/:id')
  @Access('operate', 'subscription.delete_reported')
  @Returns(200, contract.subscription, 'Deleted at Co-Pilot: a webhook that is known only from notifications')
  @Fails('not_connected', 'webhook_not_deleted')
  async deleteReportedWebhook(@Param('id') id: string): Promise<contract.Subscription> {
    await this.actions.deleteReported(id);
    return this.status.read();
  }

  /** Co-Pilot queues nothing: to hold events back without losing any, pause the targets instead. */
  @Post('pause')
  @Access('operate', 'subscription.pause')
  @Returns(200, contract.subscription, 'Co-Pilot stops sending; events that occur meanwhile are lost')
  @Fails('not_connected', 'not_registered')
  async pauseSubscription(): Promise<contract.Subscription> {
    await this.actions.setPaused(true);
    return this.status.read();
  }

  @Post('resume')
  @Access('operate', 'subscription.resume')
  @Returns(200, contract.subscription, 'Resumed: Co-Pilot sends events again')
  @Fails('not_connected', 'not_registered')
  async resumeSubscription(): Promise<contract.Subscription> {
    await this.actions.setPaused(false);
    return this.status.read();
  }
}
