import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import * as contract from '../../../contract/consumer';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import type { OperatorRequest } from '../../access/operator';
import { pageOfList } from '../../access/page-of-list';
import { allows } from '../../access/scopes';
import { actorOf } from '../../audit/actor-of';
import { ConsumerReads } from '../../consumers/consumer-reads.service';
import type { ConsumerRecord } from '../../consumers/consumer-record';
import { ConsumersService, type ConsumerClient } from '../../consumers/consumers.service';
import { ConsumerStatesQuery } from '../../consumers/consumer-states.query';
import type { RequestSignal } from '../../database/reading/reader';
import { writeFollowed } from '../../events/following/write-followed';
import { assertNotMasked, payloadMasked } from '../../filters/masked-filter';
import { Fails, Returns } from '../../http/responses';
import { ClientAddress } from '../../settings/client-address';
import { BodyLimit, DisconnectSignal, Expensive, FILTER_BYTES } from '../route-decorators';

@Controller('api/v1/consumers')
export class ConsumersController {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly reads: ConsumerReads,
    private readonly states: ConsumerStatesQuery,
    private readonly addresses: ClientAddress,
  ) {}

  @Get()
  @Access('receive')
  @Expensive()
  @Returns(200, pageOf(contract.consumer), 'The consumers that this token may use, by name')
  async listConsumers(
    @Query({ schema: pageQuery }) query: PageQuery,
    @Req() request: OperatorRequest,
  ): Promise<Page<contract.Consumer>> {
    const present = await this.states.presenter();
    const all = this.consumers
      .list(this.clientOf(request))
      .map((consumer) => ({ id: consumer.name, consumer }));
    const { data, next_cursor } = pageOfList(all, query);
    return { data: data.map(({ consumer }) => present(consumer)), next_cursor };
  }

  @Post()
  @Access('receive', 'consumer.create')
  @BodyLimit(FILTER_BYTES)
  @Returns(201, contract.consumer, 'The new consumer')
  @Returns(200, contract.consumer, 'The consumer that has this name and these settings already')
  @Fails('consumer_name_taken', 'too_many_consumers', 'filter_invalid', 'payload_masked', 'position_unknown')
  async createConsumer(
    @Body({ schema: contract.consumerCreate }) input: contract.ConsumerCreate,
    @Req() request: OperatorRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<contract.Consumer> {
    assertNotMasked(input, request.operator.mask);
    const { consumer, isNew } = await this.consumers.create(input, this.clientOf(request));
    if (!isNew) void reply.status(200);
    return this.present(consumer);
  }

  @Get(':name')
  @Access('receive')
  @Expensive()
  @Returns(200, contract.consumer, 'One consumer: its position, and who reads it')
  getConsumer(@Param('name') name: string, @Req() request: OperatorRequest): Promise<contract.Consumer> {
    return this.present(this.consumers.get(name, this.clientOf(request)));
  }

  @Patch(':name')
  @Access('receive', 'consumer.change')
  @BodyLimit(FILTER_BYTES)
  @Returns(200, contract.consumer, 'The consumer, which reads these events from its position on')
  @Fails('filter_invalid', 'payload_masked')
  async changeConsumer(
    @Param('name') name: string,
    @Body({ schema: contract.consumerChange }) input: contract.ConsumerChange,
    @Req() request: OperatorRequest,
  ): Promise<contract.Consumer> {
    assertNotMasked(input, request.operator.mask);
    return this.present(await this.consumers.change(name, input, this.clientOf(request)));
  }

  @Delete(':name')
  @Access('receive', 'consumer.remove')
  @Returns(204, null, 'The consumer and its position are removed')
  removeConsumer(@Param('name') name: string, @Req() request: OperatorRequest): Promise<void> {
    return this.consumers.remove(name, this.clientOf(request));
  }

  @Post(':name/read')
  @Access('receive')
  @Expensive('held')
  @Returns(200, contract.consumerEvents, 'What follows the committed position, and the lease to commit with')
  @Fails('consumer_leased', 'lease_lost', 'payload_masked', 'position_pruned', 'position_unknown')
  async readConsumer(
    @Param('name') name: string,
    @Body({ schema: contract.consumerRead }) input: contract.ConsumerRead,
    @DisconnectSignal() signal: RequestSignal,
    @Req() request: OperatorRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const { mask } = request.operator;
    const client = this.clientOf(request);
    assertNotMasked(this.consumers.get(name, client).selection, mask);
    if (mask !== null && input.include === 'body')
      throw payloadMasked('A program that receives events must not take masked values for real ones.');
    const { followed, lease, until } = await this.reads.read(name, input, client, signal);
    void reply.header('content-type', 'application/json; charset=utf-8');
    return writeFollowed(followed, mask, { lease, lease_until: until });
  }

  @Post(':name/commit')
  @Access('receive')
  @Returns(200, contract.consumerCommitted, 'The position up to which everything is done')
  @Fails('lease_lost', 'position_behind', 'position_unknown')
  commitConsumer(
    @Param('name') name: string,
    @Body({ schema: contract.consumerCommit }) input: contract.ConsumerCommit,
    @Req() request: OperatorRequest,
  ): Promise<contract.ConsumerCommitted> {
    return this.reads.commit(name, input, this.clientOf(request));
  }

  @Post(':name/release')
  @Access('receive')
  @Returns(204, null, 'The lease has ended')
  @Fails('lease_lost')
  releaseConsumer(
    @Param('name') name: string,
    @Body({ schema: contract.consumerRelease }) input: contract.ConsumerRelease,
    @Req() request: OperatorRequest,
  ): Promise<void> {
    return this.reads.release(name, input, this.clientOf(request));
  }

  @Post(':name/reset')
  @Access('receive', 'consumer.reset')
  @Returns(
    200,
    contract.consumer,
    'The consumer, which continues from this position and has accepted its losses',
  )
  @Fails('position_unknown')
  async resetConsumer(
    @Param('name') name: string,
    @Body({ schema: contract.consumerReset }) { position }: contract.ConsumerReset,
    @Req() request: OperatorRequest,
  ): Promise<contract.Consumer> {
    return this.present(await this.consumers.reset(name, position, this.clientOf(request)));
  }

  private async present(consumer: ConsumerRecord): Promise<contract.Consumer> {
    return (await this.states.presenter(consumer.name))(consumer);
  }

  private clientOf(request: OperatorRequest): ConsumerClient {
    const { operator, headers } = request;
    return {
      actor: actorOf(operator, headers),
      ownOnly: !allows(operator.scopes, ['operate']),
      address: this.addresses.of(request),
    };
  }
}
