import { Body, Controller, Get, Post } from '@nestjs/common';
import {
  connection as connectionSchema,
  disconnection,
  type Connection,
  type Disconnection,
} from '../../../contract/connection';
import { Access } from '../../access/access.decorator';
import { ConnectionService } from '../../connection/connection.service';
import { GrantStore } from '../../connection/grant.store';
import { RelayError } from '../../ground/relay-error';
import { OperatorActionsService } from '../../subscription/operator-actions.service';
import { Fails, Returns } from '../../http/responses';

@Controller('api/v1/connection')
export class ConnectionController {
  constructor(
    private readonly connection: ConnectionService,
    private readonly grants: GrantStore,
    private readonly subscriptionActions: OperatorActionsService,
  ) {}

  @Get()
  @Access('read')
  @Returns(200, connectionSchema, 'The grant at Co-Pilot')
  getConnection(): Connection {
    return this.connection.state();
  }

  @Post('disconnect')
  @Access('admin', 'connection.disconnect')
  @Returns(200, connectionSchema, 'Disconnected: the webhook was deleted at Co-Pilot, then the tokens here')
  @Fails('webhook_not_deleted')
  async endConnection(@Body({ schema: disconnection }) { force }: Disconnection): Promise<Connection> {
    const removal = await this.subscriptionActions.deleteWebhooks();
    if (typeof removal === 'object' && !force) {
      throw new RelayError(
        'webhook_not_deleted',
        // Without a usable grant, no request was sent to Co-Pilot.
        this.grants.isUsable ? 502 : 409,
        `Not disconnected: the webhook could not be deleted at Co-Pilot. ${removal.failed}`,
        {
          remedy:
            'Retry when Co-Pilot is available. Or delete the webhook in the developer panel and disconnect with force.',
        },
      );
    }
    await this.connection.disconnect();
    return this.connection.state();
  }
}
