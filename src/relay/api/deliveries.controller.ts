import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  delivery,
  deliveryDetail,
  deliveryJob,
  deliveryQuery,
  discard,
  discardDead,
  retryDead,
  type Delivery,
  type DeliveryDetail,
  type DeliveryJob,
  type DeliveryQuery,
  type Discard,
  type DiscardDead,
  type RetryDead,
} from '../../contract/delivery';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../contract/page';
import { Access } from '../access/access.decorator';
import type { RequestSignal } from '../database/reader';
import { DeadLetters } from '../deliveries/dead-letters/dead-letters';
import { DeliveriesService } from '../deliveries/deliveries.service';
import { DeliveryJobs } from '../deliveries/dead-letters/delivery-jobs';
import { Abandoned } from './abandoned.decorator';
import { Answers } from '../http/responses';
import { BodyLimit, FILTER_BYTES } from './body-limit.decorator';
import { Expensive } from './expensive.decorator';

@Controller('api/v1/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly letters: DeadLetters,
    private readonly jobs: DeliveryJobs,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Answers(200, pageOf(delivery), 'Deliveries, the newest event first')
  listDeliveries(
    @Query({ schema: deliveryQuery }) query: DeliveryQuery,
    @Abandoned() signal: RequestSignal,
  ): Promise<Page<Delivery>> {
    return this.deliveries.find(query, undefined, signal);
  }

  @Post('retry')
  @Access('operate', 'delivery.retry_many')
  @HttpCode(202)
  @BodyLimit(FILTER_BYTES)
  @Answers(202, deliveryJob, 'The work that sends dead letters again: those named, or all that match')
  retryDeadLetters(@Body({ schema: retryDead }) selection: RetryDead): Promise<DeliveryJob> {
    return this.jobs.start('retry', selection, null);
  }

  @Post('discard')
  @Access('operate', 'delivery.discard_many')
  @HttpCode(202)
  @BodyLimit(FILTER_BYTES)
  @Answers(202, deliveryJob, 'The work that lets dead letters go: those named, or all that match')
  discardDeadLetters(
    @Body({ schema: discardDead }) { reason, ...selection }: DiscardDead,
  ): Promise<DeliveryJob> {
    return this.jobs.start('discard', selection, reason);
  }

  @Get('jobs')
  @Access('read')
  @Answers(200, pageOf(deliveryJob), 'Work on dead letters, newest first')
  listDeliveryJobs(@Query({ schema: pageQuery }) query: PageQuery): Promise<Page<DeliveryJob>> {
    return this.jobs.list(query);
  }

  @Get('jobs/:id')
  @Access('read')
  @Answers(200, deliveryJob, 'How far work on dead letters has come')
  getDeliveryJob(@Param('id') id: string): Promise<DeliveryJob> {
    return this.jobs.get(id);
  }

  @Post('jobs/:id/cancel')
  @Access('operate', 'delivery.cancel_job')
  @HttpCode(200)
  @Answers(200, deliveryJob, 'The work, ended; what is done stays done')
  cancelDeliveryJob(@Param('id') id: string): Promise<DeliveryJob> {
    return this.jobs.cancel(id);
  }

  @Get(':id')
  @Access('read')
  @Answers(200, deliveryDetail, 'One delivery with its attempts')
  getDelivery(@Param('id') id: string): Promise<DeliveryDetail> {
    return this.deliveries.get(id);
  }

  @Post(':id/retry')
  @Access('operate', 'delivery.retry')
  @HttpCode(202)
  @Answers(
    202,
    deliveryDetail,
    'The new delivery: sent at once and out of order, but in place of one that stops its lane',
  )
  retryDelivery(@Param('id') id: string): Promise<DeliveryDetail> {
    return this.letters.retry(id);
  }

  @Post(':id/discard')
  @Access('operate', 'delivery.discard')
  @HttpCode(200)
  @Answers(200, deliveryDetail, 'The delivery, given up for this reason; its lane goes on')
  discardDelivery(
    @Param('id') id: string,
    @Body({ schema: discard }) { reason }: Discard,
  ): Promise<DeliveryDetail> {
    return this.letters.discard(id, reason);
  }
}
