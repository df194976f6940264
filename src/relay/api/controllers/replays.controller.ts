import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { pageOf, type Page } from '../../../contract/page';
import {
  replayCreate,
  replayDetail,
  replayFilter,
  replaySummary,
  replayPreview,
  replayQuery,
  type ReplayCreate,
  type ReplayDetail,
  type ReplaySummary,
  type ReplayPreview,
  type ReplayQuery,
} from '../../../contract/replay';
import { Access } from '../../access/access.decorator';
import type { RequestSignal } from '../../database/reading/reader';
import { PreviewReplayQuery } from '../../replays/preview-replay.query';
import { ReplaysService } from '../../replays/replays.service';
import { DisconnectSignal } from '../decorators/disconnect-signal.decorator';
import { Returns } from '../../http/responses';
import { assertSelection } from '../assert-selection';
import { BodyLimit, FILTER_BYTES } from '../decorators/body-limit.decorator';
import { Expensive } from '../decorators/expensive.decorator';

@Controller('api/v1/replays')
export class ReplaysController {
  constructor(
    private readonly replays: ReplaysService,
    private readonly previews: PreviewReplayQuery,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(200, pageOf(replaySummary), 'Replays, newest first')
  listReplays(@Query({ schema: replayQuery }) query: ReplayQuery): Promise<Page<ReplaySummary>> {
    return this.replays.list(query);
  }

  @Post('preview')
  @Access('read')
  @Expensive()
  @HttpCode(200)
  @BodyLimit(FILTER_BYTES)
  @Returns(200, replayPreview, 'What this replay would send')
  previewReplay(
    @Body({ schema: replayCreate }) input: ReplayCreate,
    @DisconnectSignal() signal: RequestSignal,
  ): Promise<ReplayPreview> {
    assertEvents(input);
    return this.previews.preview(input, signal);
  }

  @Post()
  @Access('operate', 'replay.start')
  @HttpCode(202)
  @BodyLimit(FILTER_BYTES)
  @Returns(202, replayDetail, 'The replay, started; events that arrive from now on are not included')
  startReplay(@Body({ schema: replayCreate }) input: ReplayCreate): Promise<ReplayDetail> {
    assertEvents(input);
    return this.replays.start(input);
  }

  @Get(':id')
  @Access('read')
  @Expensive()
  @Returns(200, replayDetail, 'The progress of a replay, in total and for each target')
  getReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.get(id);
  }

  @Post(':id/pause')
  @Access('operate', 'replay.pause')
  @HttpCode(200)
  @Returns(200, replayDetail, 'The paused replay: queued deliveries continue, no new ones are created')
  pauseReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.pause(id);
  }

  @Post(':id/resume')
  @Access('operate', 'replay.resume')
  @HttpCode(200)
  @Returns(200, replayDetail, 'The replay, continued from where it was paused')
  resumeReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.resume(id);
  }

  @Post(':id/cancel')
  @Access('operate', 'replay.cancel')
  @HttpCode(200)
  @Returns(
    200,
    replayDetail,
    'The cancelled replay: no new deliveries are created, queued ones are being cancelled',
  )
  cancelReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.cancel(id);
  }
}

function assertEvents({ filter, all }: ReplayCreate): void {
  assertSelection('events', all, filter, Object.keys(replayFilter.shape));
}
