import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import * as contract from '../../../contract/repair';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import { writeJson } from '../../ground/parse-body';
import { Fails, Returns } from '../../http/responses';
import { RepairsService } from '../../repairs/repairs.service';
import { Caller, Expensive } from '../route-decorators';

@Controller('api/v1/repairs')
export class RepairsController {
  constructor(private readonly repairs: RepairsService) {}

  @Get()
  @Access('read')
  @Returns(200, pageOf(contract.repair), 'Repairs of data and baselines, newest first')
  listRepairs(@Query({ schema: pageQuery }) query: PageQuery): Promise<Page<contract.Repair>> {
    return this.repairs.list(query);
  }

  @Post()
  @Access('operate', 'repair.start')
  @Returns(202, contract.repair, 'The repair, started: it reads all deals from Co-Pilot')
  @Fails('repair_running', 'outage_unknown')
  startRepair(
    @Body({ schema: contract.repairCreate }) input: contract.RepairCreate,
  ): Promise<contract.Repair> {
    return this.repairs.start(input);
  }

  @Get(':id')
  @Access('read')
  @Returns(200, contract.repair, 'The progress and the result of a repair')
  getRepair(@Param('id') id: string): Promise<contract.Repair> {
    return this.repairs.get(id);
  }

  @Get(':id/items')
  @Access('read')
  @Expensive()
  @Returns(200, pageOf(contract.repairItem), 'The deals that differ, by id as a text')
  async listRepairItems(
    @Param('id') id: string,
    @Query({ schema: contract.repairItemQuery }) query: contract.RepairItemQuery,
    @Caller() { mask }: Operator,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = await this.repairs.items(id, query, mask);
    await reply.header('content-type', 'application/json; charset=utf-8').send(writeJson(page));
  }

  @Post(':id/apply')
  @Access('operate', 'repair.apply')
  @Returns(202, contract.repair, 'The repair, being applied: its events are appended')
  @Fails('repair_running', 'repair_stale', 'target_unknown', 'target_gone')
  applyRepair(
    @Param('id') id: string,
    @Body({ schema: contract.repairApply }) input: contract.RepairApply,
  ): Promise<contract.Repair> {
    return this.repairs.apply(id, input);
  }

  @Post(':id/cancel')
  @Access('operate', 'repair.cancel')
  @Returns(200, contract.repair, 'The cancelled repair; what was appended stays')
  cancelRepair(@Param('id') id: string): Promise<contract.Repair> {
    return this.repairs.cancel(id);
  }
}
