import { Controller, Get, Query } from '@nestjs/common';
import { alertQuery, alertSummary, type AlertQuery, type AlertSummary } from '../../contract/alert';
import { pageOf, type Page } from '../../contract/page';
import { Access } from '../access/access.decorator';
import { Alerts } from '../events/alerts';
import { Answers } from '../http/responses';

@Controller('api/v1')
export class AlertsController {
  constructor(private readonly alerts: Alerts) {}

  @Get('alerts')
  @Access('read')
  @Answers(200, pageOf(alertSummary), 'What is wrong now, or was (`state=resolved`), newest first')
  listAlerts(@Query({ schema: alertQuery }) query: AlertQuery): Promise<Page<AlertSummary>> {
    return this.alerts.list(query);
  }
}
