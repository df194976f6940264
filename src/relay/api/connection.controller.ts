import { Controller, Get } from '@nestjs/common';
import { connection as connectionSchema, type Connection } from '../../contract/connection';
import { ConnectionService } from '../connection/connection.service';
import { Answers } from './answers';

@Controller('api/v1')
export class ConnectionController {
  constructor(private readonly connection: ConnectionService) {}

  @Get('connection')
  @Answers(200, connectionSchema, 'Our grant at Co-Pilot')
  showConnection(): Connection {
    return this.connection.state();
  }
}
