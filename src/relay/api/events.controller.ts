import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  eventDetail,
  eventQuery,
  eventSummary,
  type EventDetail,
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
import { EventsService } from '../events/events.service';
import { FindEvents } from '../events/find-events';
import { EventReplaysService } from '../replays/event-replays.service';
import { Answers } from './answers';

@Controller('api/v1/events')
export class EventsController {
  constructor(
    private readonly finder: FindEvents,
    private readonly events: EventsService,
    private readonly replays: EventReplaysService,
  ) {}

  @Get()
  @Answers(200, pageOf(eventSummary), 'Stored events, newest first')
  list(@Query({ schema: eventQuery }) query: EventQuery): Promise<Page<EventSummary>> {
    return this.finder.find(query);
  }

  @Get(':id')
  @Answers(200, eventDetail, 'One event with its deliveries and their attempts')
  get(@Param('id') id: string): Promise<EventDetail> {
    return this.events.get(id);
  }

  /** Whatever was signed is stored, HTML among it: a browser is to download it, not to show it. */
  @Get(':id/body')
  @Answers(200, null, 'The bytes as they were received')
  async body(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const event = await this.events.find(id);
    await reply
      .header('content-type', event.contentType ?? 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${id}.body"`)
      .header('x-content-type-options', 'nosniff')
      .send(event.body);
  }

  @Post(':id/replay')
  @HttpCode(202)
  @Answers(202, replay, 'New deliveries of the event were queued')
  replay(@Param('id') id: string, @Body({ schema: eventReplay }) wanted: EventReplay): Promise<Replay> {
    return this.replays.replay(id, wanted);
  }

  @Post(':id/resend')
  @HttpCode(202)
  @Answers(202, resent, 'Deliveries of the event with another payload were queued')
  resend(@Param('id') id: string, @Body({ schema: eventResend }) wanted: EventResend): Promise<Resent> {
    return this.replays.resend(id, wanted);
  }
}
