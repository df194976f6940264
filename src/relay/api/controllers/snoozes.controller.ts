import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { snoozeCreate, snoozes, type SnoozeCreate, type Snoozes } from '../../../contract/snooze';
import type { Operator } from '../../access/operator';
import { Access } from '../../access/access.decorator';
import { SnoozesService } from '../../diagnostics/snoozes/snoozes.service';
import { Caller } from '../route-decorators';
import { Fails, Returns } from '../../http/responses';

@Controller('api/v1/snoozes')
export class SnoozesController {
  constructor(private readonly service: SnoozesService) {}

  @Get()
  @Access('read')
  @Returns(200, snoozes, 'What is hidden on the Overview, and until when')
  listSnoozes(): Snoozes {
    return { data: this.service.active() };
  }

  @Post()
  @Access('operate', 'issue.snooze')
  @Returns(200, snoozes, 'All snoozes, with the new one')
  @Fails('snooze_already_over')
  async addSnooze(
    @Body({ schema: snoozeCreate }) input: SnoozeCreate,
    @Caller() { name }: Operator,
  ): Promise<Snoozes> {
    await this.service.add(name === null ? input : { ...input, operator: name });
    return this.listSnoozes();
  }

  @Delete(':id')
  @Access('operate', 'issue.unsnooze')
  @Returns(204, null, 'The issue is shown again')
  removeSnooze(@Param('id') issue: string): Promise<void> {
    return this.service.remove(issue);
  }
}
