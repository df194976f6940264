import { Controller, Get, Query } from '@nestjs/common';
import type { z } from 'zod';
import { pageOf, pageQuery, type Page } from '../../contract/page';
import { rejection, type Rejection } from '../../contract/rejection';
import { stats as statsSchema, type Stats } from '../../contract/stats';
import { Quarantine } from '../intake/quarantine';
import { StatsService } from '../operations/stats.service';
import { Answers } from './answers';

@Controller('api/v1')
export class StatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly quarantine: Quarantine,
  ) {}

  @Get('stats')
  @Answers(200, statsSchema, 'Counters since the start, and the last five minutes')
  show(): Promise<Stats> {
    return this.stats.current();
  }

  @Get('rejections')
  @Answers(200, pageOf(rejection), 'Notifications that no signature fitted, newest first')
  rejections(@Query({ schema: pageQuery }) query: z.infer<typeof pageQuery>): Promise<Page<Rejection>> {
    return this.quarantine.list(query.limit, query.cursor);
  }
}
