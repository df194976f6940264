import { Controller, Post } from '@nestjs/common';
import { ledger, type Ledger } from '../../../contract/ledger';
import { Access } from '../../access/access.decorator';
import { LedgerService } from '../../diagnostics/ledger/ledger.service';
import { Returns } from '../../http/responses';
import { Expensive } from '../route-decorators';

@Controller('api/v1/ledger')
export class LedgerController {
  constructor(private readonly service: LedgerService) {}

  @Post()
  @Access('read')
  @Expensive()
  @Returns(200, ledger, 'The result of a consistency check of all events, deliveries and attempts')
  checkLedger(): Promise<Ledger> {
    return this.service.check();
  }
}
