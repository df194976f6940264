import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Open } from '../../access/access.decorator';
import { AccessService } from '../../access/access.service';
import { healthMetrics } from '../../diagnostics/hub-health/health-metrics';
import { HubHealthQuery } from '../../diagnostics/hub-health/hub-health.query';
import { MetricsToken } from '../../access/metrics-token';
import { RelayError } from '../../ground/relay-error';
import { RequiresScope, Sends } from '../../http/responses';
import { MetricsQuery } from '../../stats/metrics.query';
import { TargetsService } from '../../targets/targets.service';
import { negotiateMetricsFormat } from '../negotiate-metrics-format';

/** Metrics for Prometheus. Not open, but besides operators it admits the metrics token. */
@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: MetricsQuery,
    private readonly health: HubHealthQuery,
    private readonly targets: TargetsService,
    private readonly access: AccessService,
    private readonly token: MetricsToken,
  ) {}

  /** @throws RelayError as `AccessService.admit` returns it */
  @Get('metrics')
  @Open()
  @RequiresScope('read')
  @Sends(
    200,
    'Metrics in the text format of Prometheus, or as OpenMetrics if `Accept` prefers that',
    'text/plain',
    'application/openmetrics-text',
  )
  async getMetrics(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    if (!this.token.admits(request)) {
      const admitted = await this.access.admit(request.raw, 'read', ['read']);
      if (admitted instanceof RelayError) throw admitted;
    }
    const { renderMetrics } = await import('../../stats/render-metrics.js');
    const all = [
      ...(await this.metrics.read()),
      ...healthMetrics(await this.health.read(), this.targets.all()),
    ];
    const format = negotiateMetricsFormat(request.headers.accept);
    const { contentType, text } = await renderMetrics(all, format);
    void reply.header('content-type', contentType);
    return text;
  }
}
