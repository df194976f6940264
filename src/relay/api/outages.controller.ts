import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { outage, type Outage } from '../../contract/outage';
import { pageOf, pageQuery, type Page } from '../../contract/page';
import { probe, type Probe } from '../../contract/probe';
import { Access } from '../access/access.decorator';
import { ReachabilityProbe } from '../diagnostics/reachability/reachability-probe';
import { Outages } from '../outages/outages';
import { Answers } from '../http/responses';

@Controller('api/v1')
export class OutagesController {
  constructor(
    private readonly outages: Outages,
    private readonly reachability: ReachabilityProbe,
  ) {}

  @Get('outages')
  @Access('read')
  @Answers(200, pageOf(outage), 'When events may have been missed or unusually few came, newest first')
  listOutages(
    @Query({ schema: pageQuery }) { limit, cursor }: z.infer<typeof pageQuery>,
  ): Promise<Page<Outage>> {
    return this.outages.list(limit, cursor);
  }

  @Post('outages/:id/dismiss')
  @Access('operate', 'outage.dismiss')
  @HttpCode(200)
  @Answers(200, outage, 'The outage: an operator has seen to it')
  dismissOutage(@Param('id') id: string): Promise<Outage> {
    return this.outages.dismiss(id);
  }

  @Post('subscription/probe')
  @Access('operate', 'subscription.probe')
  @HttpCode(200)
  @Answers(200, probe, 'Whether a request through PUBLIC_URL reaches this hub, and else what is wrong')
  probeSubscription(): Promise<Probe> {
    return this.reachability.run();
  }
}
