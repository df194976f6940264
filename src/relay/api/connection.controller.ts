import { Controller, Get } from '@nestjs/common';
import { connection as connectionSchema, type Connection } from '../../contract/connection';
import { subscription as subscriptionSchema, type Subscription } from '../../contract/subscription';
import { ConnectionService } from '../connection/connection.service';
import { SubscriptionService } from '../subscription/subscription.service';
import { Answers } from './answers';

@Controller('api/v1')
export class ConnectionController {
  constructor(
    private readonly connection: ConnectionService,
    private readonly subscription: SubscriptionService,
  ) {}

  @Get('connection')
  @Answers(200, connectionSchema, 'Our grant at Co-Pilot')
  showConnection(): Connection {
    return this.connection.state();
  }

  @Get('subscription')
  @Answers(200, subscriptionSchema, 'Our webhook at Co-Pilot')
  showSubscription(): Subscription {
    return this.subscription.state();
  }
}
