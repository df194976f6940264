import { Controller, Get, Param, Query } from '@nestjs/common';
import * as contract from '../../../contract/stats';
import { Access } from '../../access/access.decorator';
import { StatsService } from '../../stats/stats.service';
import { TargetSeriesQuery } from '../../stats/target-series.query';
import { TrafficHistoryStore } from '../../stats/traffic-history.store';
import { Returns } from '../../http/responses';
import { Expensive } from '../route-decorators';

@Controller('api/v1')
export class StatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly history: TrafficHistoryStore,
    private readonly targetSeries: TargetSeriesQuery,
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
  @Returns(200, contract.targetErrors, 'Failures of attempts for one target over a period, by error')
  getTargetErrors(
    @Param('id') id: string,
    @Query({ schema: contract.statsSeriesQuery }) query: contract.StatsSeriesQuery,
  ): Promise<contract.TargetErrors> {
    return this.history.errorsOf(id, query);
  }

  @Get('stats/targets/:id/series')
  @Access('read')
  @Expensive()
  @Returns(200, contract.targetSeries, 'Attempts, durations and backlog of one target over a period')
  getTargetSeries(
    @Param('id') id: string,
    @Query({ schema: contract.statsSeriesQuery }) query: contract.StatsSeriesQuery,
  ): Promise<contract.TargetSeries> {
    return this.targetSeries.of(id, query);
  }
}
