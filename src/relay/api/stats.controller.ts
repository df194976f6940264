import { Controller, Get, Param, Query } from '@nestjs/common';
import type { z } from 'zod';
import {
  stats as statsSchema,
  statsSeries,
  statsSeriesQuery,
  targetErrors,
  targetsTraffic,
  type Stats,
  type StatsSeries,
  type TargetErrors,
  type TargetsTraffic,
} from '../../contract/stats';
import { Access } from '../access/access.decorator';
import { StatsService } from '../stats/stats.service';
import { TrafficHistory } from '../stats/traffic-history';
import { Answers } from '../http/responses';
import { Expensive } from './expensive.decorator';

@Controller('api/v1')
export class StatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly history: TrafficHistory,
  ) {}

  @Get('stats')
  @Access('read')
  @Answers(200, statsSchema, 'Counters since the start, and the last five minutes')
  getStats(): Promise<Stats> {
    return this.stats.current();
  }

  @Get('stats/series')
  @Access('read')
  @Expensive()
  @Answers(200, statsSeries, 'Events and attempts over the last hour, day or week, with the outages in it')
  getStatsSeries(
    @Query({ schema: statsSeriesQuery }) { span }: z.infer<typeof statsSeriesQuery>,
  ): Promise<StatsSeries> {
    return this.history.series(span);
  }

  @Get('stats/targets')
  @Access('read')
  @Expensive()
  @Answers(200, targetsTraffic, 'Attempts at each target over the last hour, by the minute')
  getTargetsTraffic(): Promise<TargetsTraffic> {
    return this.history.byTarget();
  }

  @Get('stats/targets/:id/errors')
  @Access('read')
  @Expensive()
  @Answers(200, targetErrors, 'How attempts at one target failed over the last hour, day or week')
  getTargetErrors(
    @Param('id') id: string,
    @Query({ schema: statsSeriesQuery }) { span }: z.infer<typeof statsSeriesQuery>,
  ): Promise<TargetErrors> {
    return this.history.errorsOf(id, span);
  }
}
