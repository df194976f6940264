import { Controller, Get } from '@nestjs/common';
import { subscription as subscriptionSchema, type Subscription } from '../../contract/subscription';
import { SubscriptionService } from '../subscription/subscription.service';
import { Answers } from './answers';

@Controller('api/v1')
export class SubscriptionController {
  constructor(private readonly subscription: SubscriptionService) {}

  @Get('subscription')
  @Answers(200, subscriptionSchema, 'Our webhook at Co-Pilot')
  showSubscription(): Subscription {
    return this.subscription.state();
  }
}
