import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  delivery,
  deliveryDetail,
  deliveryQuery,
  type Delivery,
  type DeliveryDetail,
  type DeliveryQuery,
} from '../../contract/delivery';
import { pageOf, type Page } from '../../contract/page';
import { DeliveriesService } from '../deliveries/deliveries.service';
import { Answers } from './answers';

@Controller('api/v1/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get()
  @Answers(200, pageOf(delivery), 'Deliveries, the newest event first')
  list(@Query({ schema: deliveryQuery }) query: DeliveryQuery): Promise<Page<Delivery>> {
    return this.deliveries.find(query);
  }

  @Get(':id')
  @Answers(200, deliveryDetail, 'One delivery with its attempts')
  get(@Param('id') id: string): Promise<DeliveryDetail> {
    return this.deliveries.get(id);
  }

  @Post(':id/retry')
  @HttpCode(202)
  @Answers(202, deliveryDetail, 'The new delivery: sent at once, whatever the first one still waits for')
  retry(@Param('id') id: string): Promise<DeliveryDetail> {
    return this.deliveries.retry(id);
  }
}
