import { Controller, Get, Query } from '@nestjs/common';
import { alertQuery, alertSummary, type AlertQuery, type AlertSummary } from '../../../contract/alert';
import { pageOf, type Page } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import { AlertsService } from '../../events/alerts.service';
import { Returns } from '../../http/responses';

@Controller('api/v1')
export class AlertsController {
  constructor(private readonly alerts: AlertsService) {}

  @Get('alerts')
  @Access('read')
  @Returns(200, pageOf(alertSummary), 'Active alerts, or resolved ones (`state=resolved`), newest first')
  listAlerts(@Query({ schema: alertQuery }) query: AlertQuery): Promise<Page<AlertSummary>> {
    return this.alerts.list(query);
  }
}
