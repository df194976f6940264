import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import * as contract from '../../../contract/replay';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { assertNotMasked } from '../../filters/masked-filter';
import { maskReplay } from '../../replays/mask-replay';
import { PreviewReplayQuery } from '../../replays/preview-replay.query';
import { ReplaysService } from '../../replays/replays.service';
import { BodyLimit, Caller, DisconnectSignal, Expensive, FILTER_BYTES } from '../route-decorators';
import { Fails, Returns } from '../../http/responses';
import { assertSelection } from '../assert-selection';

const UNFIT_REPLAY = [
  'target_unknown',
  'target_gone',
  'filter_invalid',
  'selection_missing',
  'selection_ambiguous',
] as const;

@Controller('api/v1/replays')
export class ReplaysController {
  constructor(
    private readonly replays: ReplaysService,
    private readonly previews: PreviewReplayQuery,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(200, pageOf(contract.replaySummary), 'Replays, newest first')
  async listReplays(
    @Query({ schema: pageQuery }) query: PageQuery,
    @Caller() { mask }: Operator,
  ): Promise<Page<contract.ReplaySummary>> {
    const page = await this.replays.list(query);
    return { ...page, data: page.data.map((replay) => maskReplay(replay, mask)) };
  }

  @Post('preview')
  @Access('read')
  @Expensive()
  @BodyLimit(FILTER_BYTES)
  @Returns(200, contract.replayPreview, 'What this replay would send')
  @Fails(...UNFIT_REPLAY, 'payload_masked')
  previewReplay(
    @Body({ schema: contract.replayCreate }) input: contract.ReplayCreate,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<contract.ReplayPreview> {
    assertEvents(input);
    assertNotMasked(input.filter, mask);
    return this.previews.preview(input, signal);
  }

  @Post()
  @Access('operate', 'replay.start')
  @BodyLimit(FILTER_BYTES)
  @Returns(202, contract.replayDetail, 'The replay, started; events that arrive from now on are not included')
  @Fails(...UNFIT_REPLAY)
  startReplay(
    @Body({ schema: contract.replayCreate }) input: contract.ReplayCreate,
  ): Promise<contract.ReplayDetail> {
    assertEvents(input);
    return this.replays.start(input);
  }

  @Get(':id')
  @Access('read')
  @Expensive()
  @Returns(200, contract.replayDetail, 'The progress of a replay, in total and for each target')
  async getReplay(@Param('id') id: string, @Caller() { mask }: Operator): Promise<contract.ReplayDetail> {
    return maskReplay(await this.replays.get(id), mask);
  }

  @Post(':id/pause')
  @Access('operate', 'replay.pause')
  @Returns(
    200,
    contract.replayDetail,
    'The paused replay: queued deliveries continue, no new ones are created',
  )
  @Fails('replay_ended')
  pauseReplay(@Param('id') id: string): Promise<contract.ReplayDetail> {
    return this.replays.pause(id);
  }

  @Post(':id/resume')
  @Access('operate', 'replay.resume')
  @Returns(200, contract.replayDetail, 'The replay, continued from where it was paused')
  @Fails('replay_ended')
  resumeReplay(@Param('id') id: string): Promise<contract.ReplayDetail> {
    return this.replays.resume(id);
  }

  @Post(':id/cancel')
  @Access('operate', 'replay.cancel')
  @Returns(
    200,
    contract.replayDetail,
    'The cancelled replay: no new deliveries are created, queued ones are being cancelled',
  )
  @Fails('replay_ended')
  cancelReplay(@Param('id') id: string): Promise<contract.ReplayDetail> {
    return this.replays.cancel(id);
  }
}

function assertEvents({ filter, all }: contract.ReplayCreate): void {
  assertSelection('events', all, filter, Object.keys(contract.replayFilter.shape));
}
