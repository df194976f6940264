import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  rotationRequest,
  subscription as subscriptionSchema,
  type RotationRequest,
  type Subscription,
} from '../../contract/subscription';
import { Access } from '../access/access.decorator';
import { SubscriptionService } from '../subscription/subscription.service';
import { Answers } from '../http/responses';

@Controller('api/v1/subscription')
export class SubscriptionController {
  constructor(private readonly subscription: SubscriptionService) {}

  @Get()
  @Access('read')
  @Answers(200, subscriptionSchema, 'Our webhook at Co-Pilot')
  getSubscription(): Subscription {
    return this.subscription.state();
  }

  @Post('repair')
  @Access('operate', 'subscription.repair')
  @HttpCode(200)
  @Answers(200, subscriptionSchema, 'Looked at once whether all is as wanted, and set it right')
  async repairSubscription(): Promise<Subscription> {
    await this.subscription.repair();
    return this.subscription.state();
  }

  @Post('rotate')
  @Access('operate', 'subscription.rotate')
  @HttpCode(200)
  @Answers(200, subscriptionSchema, 'A new key and secret; what Co-Pilot leaves unclear goes on by itself')
  async rotateSubscription(
    @Body({ schema: rotationRequest }) wanted: RotationRequest,
  ): Promise<Subscription> {
    await this.subscription.rotate(wanted.delete_first);
    return this.subscription.state();
  }

  @Delete('webhooks/:id')
  @Access('operate', 'subscription.delete_reported')
  @Answers(200, subscriptionSchema, 'Deleted at Co-Pilot: a webhook that only notifications have told of')
  async deleteReportedWebhook(@Param('id') id: string): Promise<Subscription> {
    await this.subscription.deleteReported(id);
    return this.subscription.state();
  }

  /** Nothing is held back at Co-Pilot: to lose nothing, pause the targets. */
  @Post('pause')
  @Access('operate', 'subscription.pause')
  @HttpCode(200)
  @Answers(200, subscriptionSchema, 'Co-Pilot stops sending: what happens there meanwhile is lost')
  async pauseSubscription(): Promise<Subscription> {
    await this.subscription.setPaused(true);
    return this.subscription.state();
  }

  @Post('resume')
  @Access('operate', 'subscription.resume')
  @HttpCode(200)
  @Answers(200, subscriptionSchema, 'Co-Pilot sends again')
  async resumeSubscription(): Promise<Subscription> {
    await this.subscription.setPaused(false);
    return this.subscription.state();
  }
}
