import { Controller, HttpCode, Post } from '@nestjs/common';
import { ledger, type Ledger } from '../../contract/ledger';
import { Access } from '../access/access.decorator';
import { LedgerService } from '../diagnostics/ledger/ledger.service';
import { Answers } from '../http/responses';
import { Expensive } from './expensive.decorator';

@Controller('api/v1/ledger')
export class LedgerController {
  constructor(private readonly books: LedgerService) {}

  @Post()
  @Access('read')
  @Expensive()
  @HttpCode(200)
  @Answers(200, ledger, 'Whether the books balance: every event, delivery and attempt, and what is wrong')
  checkLedger(): Promise<Ledger> {
    return this.books.check();
  }
}
