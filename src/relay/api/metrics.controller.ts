import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Open } from '../access/access.decorator';
import { AccessService } from '../access/access.service';
import { MetricsToken } from '../access/metrics-token';
import { RelayError } from '../ground/relay-error';
import { Produces, RequiresScope, Returns } from '../http/responses';
import { MetricsQuery } from '../stats/metrics.query';
import { negotiateMetricsFormat } from './negotiate-metrics-format';

/** Metrics for Prometheus. Not open, but besides operators it admits the metrics token. */
@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: MetricsQuery,
    private readonly access: AccessService,
    private readonly token: MetricsToken,
  ) {}

  /** @throws RelayError as `AccessService.admit` returns it */
  @Get('metrics')
  @Open()
  @RequiresScope('read')
  @Produces('text/plain')
  @Returns(200, null, 'Metrics in the text format of Prometheus, or as OpenMetrics if `Accept` prefers that')
  async getMetrics(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    if (!this.token.admits(request)) {
      const admitted = await this.access.admit(request.raw, 'read', ['read']);
      if (admitted instanceof RelayError) throw admitted;
    }
    const { renderMetrics } = await import('../stats/render-metrics.js');
    const format = negotiateMetricsFormat(request.headers.accept);
    const { contentType, text } = await renderMetrics(await this.metrics.read(), format);
    void reply.header('content-type', contentType);
    return text;
  }
}
