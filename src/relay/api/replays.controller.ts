import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { pageOf, type Page } from '../../contract/page';
import {
  replayCreate,
  replayDetail,
  replayPlan,
  replayPreview,
  replayQuery,
  type ReplayCreate,
  type ReplayDetail,
  type ReplayPlan,
  type ReplayPreview,
  type ReplayQuery,
} from '../../contract/replay';
import { Access } from '../access/access.decorator';
import type { RequestSignal } from '../database/reader';
import { PreviewReplay } from '../replays/preview-replay';
import { ReplaysService } from '../replays/replays.service';
import { Abandoned } from './abandoned.decorator';
import { Answers } from '../http/responses';
import { BodyLimit, FILTER_BYTES } from './body-limit.decorator';
import { Expensive } from './expensive.decorator';

@Controller('api/v1/replays')
export class ReplaysController {
  constructor(
    private readonly replays: ReplaysService,
    private readonly counter: PreviewReplay,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Answers(200, pageOf(replayPlan), 'Replays, newest first')
  listReplays(@Query({ schema: replayQuery }) query: ReplayQuery): Promise<Page<ReplayPlan>> {
    return this.replays.list(query);
  }

  @Post('preview')
  @Access('read')
  @Expensive()
  @HttpCode(200)
  @BodyLimit(FILTER_BYTES)
  @Answers(200, replayPreview, 'What such a replay would send')
  previewReplay(
    @Body({ schema: replayCreate }) wanted: ReplayCreate,
    @Abandoned() signal: RequestSignal,
  ): Promise<ReplayPreview> {
    return this.counter.preview(wanted, signal);
  }

  @Post()
  @Access('operate', 'replay.start')
  @HttpCode(202)
  @BodyLimit(FILTER_BYTES)
  @Answers(202, replayDetail, 'The replay; what arrives from now on is not part of it')
  startReplay(@Body({ schema: replayCreate }) wanted: ReplayCreate): Promise<ReplayDetail> {
    return this.replays.start(wanted);
  }

  @Get(':id')
  @Access('read')
  @Expensive()
  @Answers(200, replayDetail, 'How far a replay has come, and how it stands at each target')
  getReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.get(id);
  }

  @Post(':id/pause')
  @Access('operate', 'replay.pause')
  @HttpCode(200)
  @Answers(200, replayDetail, 'Paused: what is open goes on, nothing is added to it')
  pauseReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.pause(id);
  }

  @Post(':id/resume')
  @Access('operate', 'replay.resume')
  @HttpCode(200)
  @Answers(200, replayDetail, 'Running again, from where it stood')
  resumeReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.resume(id);
  }

  @Post(':id/cancel')
  @Access('operate', 'replay.cancel')
  @HttpCode(200)
  @Answers(200, replayDetail, 'Nothing more is made; what is open is being cancelled')
  cancelReplay(@Param('id') id: string): Promise<ReplayDetail> {
    return this.replays.cancel(id);
  }
}
