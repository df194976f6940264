import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  eventDetail,
  eventNarrowing,
  eventQuery,
  eventSummary,
  EXPORT_ESTIMATED,
  EXPORT_TOTAL,
  type EventDetail,
  type EventNarrowing,
  type EventQuery,
  type EventSummary,
} from '../../contract/event';
import { pageOf, type Page } from '../../contract/page';
import {
  eventReplay,
  eventResend,
  replay,
  resent,
  type EventReplay,
  type EventResend,
  type Replay,
  type Resent,
} from '../../contract/replay';
import { Access } from '../access/access.decorator';
import type { RequestSignal } from '../database/reader';
import { EventsService } from '../events/events.service';
import { ExportEvents } from '../events/export-events';
import { FindEvents } from '../events/search/find-events';
import { EventReplaysService } from '../replays/event-replays.service';
import { Abandoned } from './abandoned.decorator';
import { Answers, Produces } from '../http/responses';
import { BodyLimit, LARGE_BYTES } from './body-limit.decorator';
import { Expensive } from './expensive.decorator';

const EXPORT = `Every stored event that matches, oldest first, up to the newest one there is when it begins: one line of JSON each, as in
the list, with its payload as \`body\`. That is the JSON as it was received, but for line breaks between its parts; of an event that
could not be read \`body\` is null and \`body_base64\` holds its bytes. The header \`${EXPORT_TOTAL}\` says how many there are, and
\`${EXPORT_ESTIMATED}\` whether that is an estimate. An answer that ends early was broken off.`;

@Controller('api/v1/events')
export class EventsController {
  constructor(
    private readonly finder: FindEvents,
    private readonly events: EventsService,
    private readonly replays: EventReplaysService,
    private readonly exports: ExportEvents,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Answers(200, pageOf(eventSummary), 'Stored events, newest first')
  listEvents(
    @Query({ schema: eventQuery }) query: EventQuery,
    @Abandoned() signal: RequestSignal,
  ): Promise<Page<EventSummary>> {
    return this.finder.find(query, signal);
  }

  /** Asked with HEAD it only tells how many there are. */
  @Get('export')
  @Access('read')
  @Expensive('download')
  @Answers(200, null, EXPORT)
  @Produces('application/x-ndjson')
  async exportEvents(
    @Query({ schema: eventNarrowing }) wanted: EventNarrowing,
    @Abandoned() signal: RequestSignal,
    @Req() { method }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { range, count } = await this.exports.prepare(wanted, signal);
    void reply
      .header('content-type', 'application/x-ndjson')
      .header('content-disposition', 'attachment; filename="events.ndjson"')
      .header('x-content-type-options', 'nosniff')
      .header(EXPORT_TOTAL, count.events)
      .header(EXPORT_ESTIMATED, String(count.estimated));
    await reply.send(method === 'HEAD' ? undefined : this.exports.stream(wanted, range, signal));
  }

  @Get(':id')
  @Access('read')
  @Expensive()
  @Answers(200, eventDetail, 'One event with its deliveries and their attempts')
  getEvent(@Param('id') id: string): Promise<EventDetail> {
    return this.events.get(id);
  }

  /** Whatever was signed is stored, HTML among it: a browser is to download it, not to show it. */
  @Get(':id/body')
  @Access('read')
  @Expensive()
  @Answers(200, null, 'The bytes as they were received')
  async getEventBody(
    @Param('id') id: string,
    @Abandoned() signal: RequestSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const event = await this.finder.body(id, signal);
    await reply
      .header('content-type', event.contentType ?? 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${id}.body"`)
      .header('x-content-type-options', 'nosniff')
      .send(event.body);
  }

  @Post(':id/replay')
  @Access('operate', 'event.replay')
  @HttpCode(202)
  @Answers(202, replay, 'New deliveries of the event were queued')
  replayEvent(@Param('id') id: string, @Body({ schema: eventReplay }) wanted: EventReplay): Promise<Replay> {
    return this.replays.replay(id, wanted);
  }

  @Post(':id/resend')
  @Access('operate', 'event.resend')
  @HttpCode(202)
  @BodyLimit(LARGE_BYTES)
  @Answers(202, resent, 'Deliveries of the event with another payload were queued')
  resendEvent(@Param('id') id: string, @Body({ schema: eventResend }) wanted: EventResend): Promise<Resent> {
    return this.replays.resend(id, wanted);
  }
}
