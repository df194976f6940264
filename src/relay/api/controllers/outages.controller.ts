import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { listedOutage, outage, type ListedOutage, type Outage } from '../../../contract/outage';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import { reachabilityCheck, type ReachabilityCheck } from '../../../contract/reachability';
import { Access } from '../../access/access.decorator';
import { ReachabilityWorker } from '../../diagnostics/reachability/reachability.worker';
import { OutageStore } from '../../outages/outage.store';
import { AppliedRepairsQuery } from '../../repairs/applied-repairs.query';
import { Returns } from '../../http/responses';

@Controller('api/v1')
export class OutagesController {
  constructor(
    private readonly outages: OutageStore,
    private readonly repairs: AppliedRepairsQuery,
    private readonly reachability: ReachabilityWorker,
  ) {}

  @Get('outages')
  @Access('read')
  @Returns(
    200,
    pageOf(listedOutage),
    'Periods in which events may have been missed or unusually few arrived, newest first',
  )
  async listOutages(@Query({ schema: pageQuery }) { limit, cursor }: PageQuery): Promise<Page<ListedOutage>> {
    const page = await this.outages.list(limit, cursor);
    return { ...page, data: await this.repairs.addTo(page.data) };
  }

  @Post('outages/:id/dismiss')
  @Access('operate', 'outage.dismiss')
  @Returns(200, outage, 'The outage, dismissed')
  dismissOutage(@Param('id') id: string): Promise<Outage> {
    return this.outages.dismiss(id);
  }

  @Post('subscription/reachability')
  @Access('operate', 'subscription.check_reachability')
  @Returns(200, reachabilityCheck, 'Whether a request through PUBLIC_URL reaches this hub, and if not, why')
  checkReachability(): Promise<ReachabilityCheck> {
    return this.reachability.run();
  }
}
