import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  connection as connectionSchema,
  disconnection,
  type Connection,
  type Disconnection,
} from '../../contract/connection';
import { Access } from '../access/access.decorator';
import { ConnectionService } from '../connection/connection.service';
import { RelayError } from '../ground/relay-error';
import { SubscriptionService } from '../subscription/subscription.service';
import { Answers } from '../http/responses';

const NO_GRANT: readonly Connection['state'][] = ['not_connected', 'consent_needed'];

@Controller('api/v1/connection')
export class ConnectionController {
  constructor(
    private readonly connection: ConnectionService,
    private readonly subscription: SubscriptionService,
  ) {}

  @Get()
  @Access('read')
  @Answers(200, connectionSchema, 'Our grant at Co-Pilot')
  getConnection(): Connection {
    return this.connection.state();
  }

  @Post('disconnect')
  @Access('admin', 'connection.disconnect')
  @HttpCode(200)
  @Answers(200, connectionSchema, 'Our webhook is deleted at Co-Pilot, then the tokens are forgotten')
  async endConnection(@Body({ schema: disconnection }) { force }: Disconnection): Promise<Connection> {
    const removal = await this.subscription.deleteWebhooks();
    if (typeof removal === 'object' && !force) {
      throw new RelayError(
        'webhook_not_deleted',
        // Without a grant nothing can be asked of Co-Pilot.
        NO_GRANT.includes(this.connection.state().state) ? 409 : 502,
        `Nothing was disconnected: our webhook could not be deleted at Co-Pilot. ${removal.failed}`,
        {
          remedy:
            'Try again once Co-Pilot answers; or delete the webhook at the developer panel, and disconnect with force.',
        },
      );
    }
    await this.connection.disconnect();
    return this.connection.state();
  }
}
