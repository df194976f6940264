import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import * as contract from '../../../contract/delivery';
import { deliveryJobDetail, type DeliveryJobDetail } from '../../../contract/delivery-job';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { DeadLettersService } from '../../deliveries/dead-letters/dead-letters.service';
import { DeliveriesService } from '../../deliveries/deliveries.service';
import { maskDelivery } from '../../deliveries/mask-delivery';
import { DeliveryJobsWorker } from '../../deliveries/dead-letters/delivery-jobs.worker';
import { ReplaysService } from '../../replays/replays.service';
import { BodyLimit, Caller, DisconnectSignal, Expensive, FILTER_BYTES } from '../route-decorators';
import { payloadMasked } from '../../filters/masked-filter';
import { sendBytes } from '../send-bytes';
import { SentBodyQuery } from '../../deliveries/sent-body.query';
import { Fails, Returns, Sends } from '../../http/responses';
import { assertSelection } from '../assert-selection';

@Controller('api/v1/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly deadLetters: DeadLettersService,
    private readonly jobs: DeliveryJobsWorker,
    private readonly replays: ReplaysService,
    private readonly sentBodies: SentBodyQuery,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(200, pageOf(contract.delivery), 'Deliveries, newest event first')
  async listDeliveries(
    @Query({ schema: contract.deliveryQuery }) query: contract.DeliveryQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<Page<contract.Delivery>> {
    const page = await this.deliveries.find(query, undefined, signal);
    return { ...page, data: page.data.map((delivery) => maskDelivery(delivery, mask)) };
  }

  @Post('retry')
  @Access('operate', 'delivery.retry_many')
  @BodyLimit(FILTER_BYTES)
  @Returns(202, contract.deliveryJob, 'The job that retries dead letters: those listed, or all that match')
  @Fails('target_unknown', 'target_gone', 'selection_missing', 'selection_ambiguous')
  retryDeadLetters(
    @Body({ schema: contract.retryDead }) { all, ...selection }: contract.RetryDead,
  ): Promise<contract.DeliveryJob> {
    assertSelection('dead letters', all, selection, contract.DEAD_LETTER_CONDITIONS);
    return this.jobs.start('retry', selection, null);
  }

  @Post('discard')
  @Access('operate', 'delivery.discard_many')
  @BodyLimit(FILTER_BYTES)
  @Returns(202, contract.deliveryJob, 'The job that discards dead letters: those listed, or all that match')
  @Fails('selection_missing', 'selection_ambiguous')
  discardDeadLetters(
    @Body({ schema: contract.discardDead }) { reason, all, ...selection }: contract.DiscardDead,
  ): Promise<contract.DeliveryJob> {
    assertSelection('dead letters', all, selection, contract.DEAD_LETTER_CONDITIONS);
    return this.jobs.start('discard', selection, reason);
  }

  @Get('jobs')
  @Access('read')
  @Returns(200, pageOf(contract.deliveryJob), 'Jobs on dead letters, newest first')
  listDeliveryJobs(@Query({ schema: pageQuery }) query: PageQuery): Promise<Page<contract.DeliveryJob>> {
    return this.jobs.list(query);
  }

  @Get('jobs/:id')
  @Access('read')
  @Returns(200, deliveryJobDetail, 'The progress of a job on dead letters')
  async getDeliveryJob(@Param('id') id: string): Promise<DeliveryJobDetail> {
    return { ...(await this.jobs.get(id)), ...(await this.replays.retriedBy(id)) };
  }

  @Post('jobs/:id/cancel')
  @Access('operate', 'delivery.cancel_job')
  @Returns(200, contract.deliveryJob, 'The job, cancelled; completed steps are not undone')
  cancelDeliveryJob(@Param('id') id: string): Promise<contract.DeliveryJob> {
    return this.jobs.cancel(id);
  }

  @Get(':id')
  @Access('read')
  @Returns(200, contract.deliveryDetail, 'One delivery with its attempts')
  async getDelivery(@Param('id') id: string, @Caller() { mask }: Operator): Promise<contract.DeliveryDetail> {
    return maskDelivery(await this.deliveries.get(id), mask);
  }

  /** It may be anything, as the body of an event. */
  @Get(':id/body')
  @Access('read')
  @Expensive()
  @Sends(200, 'What an attempt has sent, made again, with its content type', '*/*')
  @Fails('body_unknown', 'event_erased', 'target_not_json', 'payload_masked', 'transform_unavailable')
  async getSentBody(
    @Param('id') id: string,
    @Query({ schema: contract.sentBodyQuery }) { attempt }: contract.SentBodyQuery,
    @Caller() { mask }: Operator,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (mask !== null) throw payloadMasked('What was sent has values that are masked.');
    const { body, contentType } = await this.sentBodies.body(id, attempt);
    await sendBytes(reply, { name: id, body, contentType });
  }

  @Post(':id/retry')
  @Access('operate', 'delivery.retry')
  @Returns(
    202,
    contract.deliveryDetail,
    'The new delivery: sent immediately and out of order, unless it replaces the head of a stopped lane',
  )
  @Fails('target_unknown', 'target_gone', 'event_erased')
  retryDelivery(@Param('id') id: string): Promise<contract.DeliveryDetail> {
    return this.deadLetters.retry(id);
  }

  @Post(':id/discard')
  @Access('operate', 'delivery.discard')
  @Returns(200, contract.deliveryDetail, 'The discarded delivery; its lane continues')
  @Fails('delivery_finished')
  discardDelivery(
    @Param('id') id: string,
    @Body({ schema: contract.discard }) { reason }: contract.Discard,
  ): Promise<contract.DeliveryDetail> {
    return this.deadLetters.discard(id, reason);
  }
}
