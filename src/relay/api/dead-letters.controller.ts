import { Controller, Get, Query } from '@nestjs/common';
import {
  deadLetterQuery,
  deathCauseQuery,
  deathCauses,
  type DeadLetterQuery,
  type DeathCauseQuery,
  type DeathCauses,
} from '../../contract/dead-letter';
import { delivery, type Delivery } from '../../contract/delivery';
import { pageOf, type Page } from '../../contract/page';
import { Access } from '../access/access.decorator';
import type { RequestSignal } from '../database/reader';
import { DeadLetters } from '../deliveries/dead-letters/dead-letters';
import { Abandoned } from './abandoned.decorator';
import { Answers } from '../http/responses';
import { Expensive } from './expensive.decorator';

@Controller('api/v1/dead-letters')
export class DeadLettersController {
  constructor(private readonly letters: DeadLetters) {}

  @Get()
  @Access('read')
  @Expensive()
  @Answers(200, pageOf(delivery), 'Deliveries given up that nothing has followed yet, the newest event first')
  listDeadLetters(
    @Query({ schema: deadLetterQuery }) query: DeadLetterQuery,
    @Abandoned() signal: RequestSignal,
  ): Promise<Page<Delivery>> {
    return this.letters.list(query, signal);
  }

  @Get('causes')
  @Access('read')
  @Expensive()
  @Answers(200, deathCauses, 'The same, counted by target and by how the last attempt failed, most first')
  async listDeathCauses(
    @Query({ schema: deathCauseQuery }) query: DeathCauseQuery,
    @Abandoned() signal: RequestSignal,
  ): Promise<DeathCauses> {
    return { data: await this.letters.causes(query, signal) };
  }
}
