import { Controller, Get, Param, Query } from '@nestjs/common';
import type { z } from 'zod';
import * as contract from '../../../contract/stats';
import { Access } from '../../access/access.decorator';
import { StatsService } from '../../stats/stats.service';
import { TrafficHistoryStore } from '../../stats/traffic-history.store';
import { Returns } from '../../http/responses';
import { Expensive } from '../route-decorators';

@Controller('api/v1')
export class StatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly history: TrafficHistoryStore,
  ) {}

  @Get('stats')
  @Access('read')
  @Returns(200, contract.stats, 'Counters since the start and for the last five minutes')
  getStats(): Promise<contract.Stats> {
    return this.stats.current();
  }

  @Get('stats/series')
  @Access('read')
  @Expensive()
  @Returns(
    200,
    contract.statsSeries,
    'Events and attempts over the last hour, day or week, or between two times, with outages',
  )
  getStatsSeries(
    @Query({ schema: contract.statsSeriesQuery }) query: contract.StatsSeriesQuery,
  ): Promise<contract.StatsSeries> {
    return this.history.series(query);
  }

  @Get('stats/targets')
  @Access('read')
  @Expensive()
  @Returns(200, contract.targetsTraffic, 'Attempts for each target over the last hour, by minute')
  getTargetsTraffic(): Promise<contract.TargetsTraffic> {
    return this.history.byTarget();
  }

  @Get('stats/targets/:id/errors')
  @Access('read')
  @Expensive()
  @Returns(200, contract.targetErrors, 'Failures of attempts for one target over the last hour, day or week')
  getTargetErrors(
    @Param('id') id: string,
    @Query({ schema: contract.statsPeriodQuery }) { period }: z.infer<typeof contract.statsPeriodQuery>,
  ): Promise<contract.TargetErrors> {
    return this.history.errorsOf(id, period);
  }
}
