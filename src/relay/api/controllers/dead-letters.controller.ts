import { Controller, Get, Query } from '@nestjs/common';
import * as contract from '../../../contract/dead-letter';
import { delivery, type Delivery } from '../../../contract/delivery';
import { pageOf, type Page } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { DeadLettersService } from '../../deliveries/dead-letters/dead-letters.service';
import { DeadLetterCausesQuery } from '../../deliveries/dead-letters/dead-letter-causes.query';
import { maskAttempt, maskDelivery } from '../../deliveries/mask-delivery';
import { Caller, DisconnectSignal, Expensive } from '../route-decorators';
import { Returns } from '../../http/responses';

@Controller('api/v1/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly deadLetters: DeadLettersService,
    private readonly causes: DeadLetterCausesQuery,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(200, pageOf(delivery), 'Dead letters that no later delivery has replaced, newest event first')
  async listDeadLetters(
    @Query({ schema: contract.deadLetterQuery }) query: contract.DeadLetterQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<Page<Delivery>> {
    const page = await this.deadLetters.list(query, signal);
    return { ...page, data: page.data.map((one) => maskDelivery(one, mask)) };
  }

  @Get('causes')
  @Access('read')
  @Expensive()
  @Returns(
    200,
    contract.deadLetterCauses,
    'Dead letters counted by target and failure of the last attempt, largest group first',
  )
  async listCauses(
    @Query({ schema: contract.deadLetterCauseQuery }) query: contract.DeadLetterCauseQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<contract.DeadLetterCauses> {
    const causes = await this.causes.find(query, signal);
    return {
      data: causes.map(({ newest, ...cause }) => ({
        ...cause,
        newest: { ...newest, attempt: newest.attempt && maskAttempt(newest.attempt, mask) },
      })),
    };
  }
}
