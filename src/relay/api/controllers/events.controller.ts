import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { EXPORT_ESTIMATED_HEADER, EXPORT_TOTAL_HEADER } from '../../../contract/constants';
import * as contract from '../../../contract/event';
import { explanation, type Explanation } from '../../../contract/explanation';
import type { Page } from '../../../contract/page';
import * as fieldContract from '../../../contract/payload-field';
import * as replayContract from '../../../contract/replay';
import { Access } from '../../access/access.decorator';
import type { Operator, OperatorRequest } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { EventsService } from '../../events/events.service';
import { ExplainEventQuery } from '../../events/explain/explain-event.query';
import { ExportEventsQuery } from '../../events/export-events.query';
import { FORMATS } from '../../events/export-formats';
import { CountEventsQuery } from '../../events/search/count-events.query';
import { LearnFieldsQuery } from '../../events/search/learn-fields.query';
import { FindEventsQuery } from '../../events/search/find-events.query';
import { HeldReads } from '../../events/following/held-reads.service';
import { NextEventsQuery } from '../../events/following/next-events.query';
import { writeFollowed } from '../../events/following/write-followed';
import { maskBody, maskDetail, maskEvent } from '../../events/mask-event';
import { assertNotMasked, payloadMasked } from '../../filters/masked-filter';
import { RelayError } from '../../ground/relay-error';
import { EventReplaysService } from '../../replays/event-replays.service';
import { BodyLimit, Caller, DisconnectSignal, Expensive, LARGE_BYTES } from '../route-decorators';
import { sendBytes } from '../send-bytes';
import { Fails, Returns, Sends } from '../../http/responses';
import { PayloadSchemasService } from '../../payload-schemas/payload-schemas.service';

const EXPORT = `All matching events up to the newest one at the start of the export, oldest first: the fields of the list, and the
payload as \`body\`, which is the JSON as received, except for line breaks between tokens. If an event is unreadable, \`body\` is null and
\`body_base64\` has its bytes. \`format\` is \`ndjson\` (the default: one line of JSON for each event), \`json\` (a list) or \`csv\`, which opens in a
spreadsheet: a cell that looks like a formula begins with an apostrophe, and one of more than 32,767 characters says where to find its
text. The header \`${EXPORT_TOTAL_HEADER}\` has the number of events, \`${EXPORT_ESTIMATED_HEADER}\` whether that is an estimate. If the export
fails midway, the connection is closed before the end of the response.`;

@Controller('api/v1/events')
export class EventsController {
  constructor(
    private readonly finder: FindEventsQuery,
    private readonly events: EventsService,
    private readonly replays: EventReplaysService,
    private readonly exports: ExportEventsQuery,
    private readonly explanations: ExplainEventQuery,
    private readonly counts: CountEventsQuery,
    private readonly fields: LearnFieldsQuery,
    private readonly schemas: PayloadSchemasService,
    private readonly next: NextEventsQuery,
    private readonly held: HeldReads,
  ) {}

  @Get()
  @Access('read')
  @Expensive(({ query }) => ((query as { after?: unknown }).after === undefined ? 'read' : 'held'))
  @Returns(
    200,
    contract.eventList,
    'Stored events, newest first; with `after`, what follows it, oldest first',
  )
  @Fails('filter_not_followable', 'filter_invalid', 'payload_masked', 'position_pruned', 'position_unknown')
  async listEvents(
    @Query({ schema: contract.eventQuery }) { after, wait, include, ...query }: contract.EventQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Page<contract.ListedEvent> | Buffer> {
    assertNotMasked(query, mask);
    if (after === undefined) {
      const page = await this.finder.find(query, signal);
      return { ...page, data: page.data.map((event) => maskEvent(event, mask)) };
    }
    const { field: fields, limit, cursor: _, ...filters } = query;
    if (filters.status !== undefined || filters.target !== undefined) throw filterNotFollowable();
    const following = { filters, fields, limit, withBodies: include === 'body' };
    const from = await this.next.resolve(after, signal);
    const followed = await this.held.read(following, from, (wait ?? 0) * 1_000, signal);
    void reply.header('content-type', 'application/json; charset=utf-8');
    return writeFollowed(followed, mask);
  }

  @Get('count')
  @Access('read')
  @Expensive()
  @Returns(200, contract.eventCount, 'How many stored events match, exactly or estimated')
  @Fails('filter_invalid', 'payload_masked')
  countEvents(
    @Query({ schema: contract.eventFilters }) query: contract.EventFilters,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<contract.EventCount> {
    assertNotMasked(query, mask);
    return this.counts.count(query, signal);
  }

  @Get('histogram')
  @Access('read')
  @Expensive()
  @Returns(200, contract.eventHistogram, 'The matching events by time of receipt and status')
  @Fails('filter_invalid', 'payload_masked')
  getHistogram(
    @Query({ schema: contract.eventHistogramQuery }) query: contract.EventHistogramQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<contract.EventHistogram> {
    assertNotMasked(query, mask);
    return this.counts.histogram(query, signal);
  }

  /** HEAD returns only the count. */
  @Get('export')
  @Access('read')
  @Expensive('download')
  @Sends(200, EXPORT, 'application/x-ndjson', 'application/json', 'text/csv')
  @Fails('filter_invalid', 'payload_masked')
  async exportEvents(
    @Query({ schema: contract.exportQuery }) { format, ...filters }: contract.ExportQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Req() { method, operator: { mask } }: OperatorRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    assertNotMasked(filters, mask);
    const { range, total } = await this.exports.prepare(filters, signal);
    void reply
      .header('content-type', FORMATS[format].contentType)
      .header('content-disposition', `attachment; filename="events.${format}"`)
      .header('x-content-type-options', 'nosniff')
      .header(EXPORT_TOTAL_HEADER, total.count)
      .header(EXPORT_ESTIMATED_HEADER, String(total.estimated));
    await reply.send(
      method === 'HEAD' ? undefined : this.exports.stream({ filters, range, format, mask }, signal),
    );
  }

  @Get('fields')
  @Access('read')
  @Expensive()
  @Returns(
    200,
    fieldContract.payloadFields,
    'The fields of the newest payloads, with sample values, for the conditions of a filter',
  )
  async learnFields(
    @Query({ schema: fieldContract.payloadFieldsQuery }) query: fieldContract.PayloadFieldsQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<fieldContract.PayloadFields> {
    return this.schemas.addFields(await this.fields.learn(query, mask, signal), query.type, mask);
  }

  @Get(':id')
  @Access('read')
  @Expensive()
  @Returns(200, contract.eventDetail, 'One event with its deliveries and their attempts')
  async getEvent(@Param('id') id: string, @Caller() { mask }: Operator): Promise<contract.EventDetail> {
    return maskDetail(await this.events.get(id), mask);
  }

  @Get(':id/explain')
  @Access('read')
  @Expensive()
  @Returns(200, explanation, 'What became of the event at every target, and why')
  explainEvent(
    @Param('id') id: string,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<Explanation> {
    return this.explanations.explain(id, mask, signal);
  }

  /** The body may be anything, HTML included: browsers must download it rather than display it. */
  @Get(':id/body')
  @Access('read')
  @Expensive()
  @Sends(200, 'The bytes as they were received, with their content type', '*/*')
  @Fails('payload_masked', 'event_erased')
  async getEventBody(
    @Param('id') id: string,
    @Query({ schema: contract.eventBodyQuery }) { masked = false }: contract.EventBodyQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const event = await this.finder.body(id, signal);
    const shown = mask === null || masked ? maskBody(event.type, event.body, mask) : null;
    if (shown === null) throw bodyMasked(masked);
    await sendBytes(reply, { name: id, body: shown, contentType: event.contentType });
  }

  @Post(':id/replay')
  @Access('operate', 'event.replay')
  @Returns(202, replayContract.replay, 'The replay, with new deliveries of the event queued')
  @Fails('target_unknown', 'target_gone', 'no_target', 'event_erased')
  replayEvent(
    @Param('id') id: string,
    @Body({ schema: replayContract.eventReplay }) input: replayContract.EventReplay,
  ): Promise<replayContract.Replay> {
    return this.replays.replay(id, input);
  }

  @Post(':id/resend')
  @Access('operate', 'event.resend')
  @BodyLimit(LARGE_BYTES)
  @Returns(202, replayContract.resent, 'The queued deliveries of the event with an edited payload')
  @Fails('target_unknown', 'target_gone', 'target_not_json', 'event_erased')
  resendEvent(
    @Param('id') id: string,
    @Body({ schema: replayContract.eventResend }) input: replayContract.EventResend,
  ): Promise<replayContract.Resent> {
    return this.replays.resend(id, input);
  }
}

const bodyMasked = (acceptsMasked: boolean) =>
  acceptsMasked
    ? payloadMasked('The body is not readable, so it is masked as a whole.')
    : payloadMasked(
        'The exact bytes have values that are masked.',
        'Add `masked=true` (events body --masked) for the payload without them, or use a token with the scope `reveal`.',
      );

const filterNotFollowable = () =>
  new RelayError(
    'filter_not_followable',
    400,
    'The filters `status` and `target` change after an event is stored, so what follows by them would miss events.',
    { remedy: 'Omit `status` and `target`, or list events without `after`.' },
  );
