import { Controller, Get } from '@nestjs/common';
import { stats as statsSchema, type Stats } from '../../contract/stats';
import { StatsService } from '../operations/stats.service';
import { Answers } from './answers';

@Controller('api/v1')
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get('stats')
  @Answers(200, statsSchema, 'Counters since the start, and the last five minutes')
  show(): Promise<Stats> {
    return this.stats.current();
  }
}
