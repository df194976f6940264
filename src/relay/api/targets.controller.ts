import {
  filterPreview,
  filterPreviewQuery,
  type FilterPreview,
  type FilterPreviewQuery,
} from '../../contract/filter';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { pageOf, pageQuery, type Page } from '../../contract/page';
import {
  secretRotation,
  target,
  targetCreate,
  targetCreated,
  targetPatch,
  targetPatched,
  targetTrial,
  testOutcome,
  type SecretRotation,
  type Target,
  type TargetCreate,
  type TargetCreated,
  type TargetPatch,
  type TargetPatched,
  type TargetTrial,
  type TestOutcome,
} from '../../contract/target';
import { Access } from '../access/access.decorator';
import type { Operator } from '../access/operator';
import type { RequestSignal } from '../database/reader';
import { TargetProbe } from '../deliveries/sending/target-probe';
import { PreviewFilter } from '../events/search/preview-filter';
import { RelayError } from '../ground/relay-error';
import { Backfills } from '../replays/backfills';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { Abandoned } from './abandoned.decorator';
import { Answers } from '../http/responses';
import { BodyLimit, FILTER_BYTES, LARGE_BYTES } from './body-limit.decorator';
import { Expensive } from './expensive.decorator';
import { Caller } from './caller.decorator';
import { PresentTarget } from './present-target';

/** A page ends with the first target beyond it: one may have a hundred kilobytes of headers and certificates. */
const PAGE_BYTES = 512 * 1024;

@Controller('api/v1/targets')
export class TargetsController {
  constructor(
    private readonly targets: TargetsService,
    private readonly probe: TargetProbe,
    private readonly preview: PreviewFilter,
    private readonly presenter: PresentTarget,
    private readonly backfills: Backfills,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Answers(200, pageOf(target), 'All targets, in the order in which they were made')
  async listTargets(
    @Query({ schema: pageQuery }) { limit, cursor }: z.infer<typeof pageQuery>,
    @Caller() caller: Operator,
  ): Promise<Page<Target>> {
    const last = cursor === undefined ? 0 : numberOf(cursor);
    const rest = this.targets.all().filter(({ number }) => number > last);
    const page = withinBytes(rest.slice(0, limit));
    return {
      data: await Promise.all(page.map((record) => this.presenter.present(record, caller))),
      next_cursor: rest.length > page.length ? String(page.at(-1)!.number) : null,
    };
  }

  @Post()
  @Access('operate', 'target.create', { showsSecret: true })
  @BodyLimit(LARGE_BYTES)
  @Answers(201, targetCreated, 'The target, with its secret: it is not shown again')
  async createTarget(
    @Body({ schema: targetCreate }) wanted: TargetCreate,
    @Caller() caller: Operator,
  ): Promise<TargetCreated> {
    const { record, secret, replayId } = await this.backfills.create(wanted);
    const made = { ...(await this.presenter.present(record, caller)), secret };
    return replayId === null ? made : { ...made, backfill_replay_id: replayId };
  }

  @Post('preview')
  @Access('read')
  @Expensive()
  @HttpCode(200)
  @BodyLimit(FILTER_BYTES)
  @Answers(200, filterPreview, 'Which of the newest stored events such a target would have been sent')
  previewFilter(
    @Body({ schema: filterPreviewQuery }) query: FilterPreviewQuery,
    @Abandoned() signal: RequestSignal,
  ): Promise<FilterPreview> {
    return this.preview.preview(query, signal);
  }

  @Post('test')
  @Access('operate', 'target.try')
  @Expensive()
  @HttpCode(200)
  @BodyLimit(LARGE_BYTES)
  @Answers(200, testOutcome, 'What became of one signed sample, sent with settings that are not saved')
  tryTarget(@Body({ schema: targetTrial }) trial: TargetTrial): Promise<TestOutcome> {
    return this.probe.try(trial);
  }

  @Get(':id')
  @Access('read')
  @Answers(200, target, 'One target')
  getTarget(@Param('id') id: string, @Caller() caller: Operator): Promise<Target> {
    return this.presenter.present(this.targets.byId(id), caller);
  }

  @Patch(':id')
  @Access('operate', 'target.change')
  @BodyLimit(LARGE_BYTES)
  @Answers(200, targetPatched, 'The target as it is now; with its new secret, where one was wanted')
  async updateTarget(
    @Param('id') id: string,
    @Body({ schema: targetPatch }) patch: TargetPatch,
    @Caller() caller: Operator,
  ): Promise<TargetPatched> {
    const { record, secret } = await this.targets.update(id, patch);
    return { ...(await this.presenter.present(record, caller)), ...(secret !== null && { secret }) };
  }

  @Delete(':id')
  @Access('operate', 'target.remove')
  @HttpCode(204)
  @Answers(204, null, 'Removed; its open deliveries are cancelled, its history stays')
  removeTarget(@Param('id') id: string): Promise<void> {
    return this.targets.remove(id);
  }

  @Post(':id/pause')
  @Access('operate', 'target.pause')
  @HttpCode(200)
  @Answers(200, target, 'Paused: deliveries go on gathering')
  async pauseTarget(@Param('id') id: string, @Caller() caller: Operator): Promise<Target> {
    return this.presenter.present(await this.targets.pause(id, 'Paused by the operator.'), caller);
  }

  @Post(':id/resume')
  @Access('operate', 'target.resume')
  @HttpCode(200)
  @Answers(200, target, 'Resumed: what gathered goes out')
  async resumeTarget(@Param('id') id: string, @Caller() caller: Operator): Promise<Target> {
    return this.presenter.present(await this.targets.resume(id), caller);
  }

  @Post(':id/secret/rotate')
  @Access('operate', 'target.rotate_secret', { showsSecret: true })
  @HttpCode(200)
  @Answers(
    200,
    targetCreated,
    'The target, with its new secret: it is not shown again; the one before signs too for a while',
  )
  async rotateTargetSecret(
    @Param('id') id: string,
    @Body({ schema: secretRotation }) { overlap_seconds: overlapSeconds }: SecretRotation,
    @Caller() caller: Operator,
  ): Promise<TargetCreated> {
    const { record, secret } = await this.targets.rotateSecret(id, overlapSeconds);
    return { ...(await this.presenter.present(record, caller)), secret };
  }

  @Post(':id/test')
  @Access('operate', 'target.test')
  @Expensive()
  @HttpCode(200)
  @Answers(200, testOutcome, 'What became of one signed sample')
  testTarget(@Param('id') id: string): Promise<TestOutcome> {
    return this.probe.test(id);
  }
}

/** The cursor is the number of the last target shown, so that it holds when that one is removed. */
function numberOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new RelayError('cursor_unknown', 400, 'The cursor is not one that this list gave.', {
    remedy: 'Pass the next_cursor of the page before, or none for the first page.',
  });
}

function withinBytes(targets: readonly TargetRecord[]): readonly TargetRecord[] {
  let bytes = 0;
  const last = targets.findIndex(({ filter, headers, tls }) => {
    bytes += JSON.stringify({ filter, headers, tls }).length;
    return bytes > PAGE_BYTES;
  });
  return last === -1 ? targets : targets.slice(0, last + 1);
}
