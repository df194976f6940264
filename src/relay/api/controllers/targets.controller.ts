import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import * as contract from '../../../contract/target';
import * as pausing from '../../../contract/target-pause';
import { secretRotation, type SecretRotation } from '../../../contract/target-secret';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import { showsSecret } from '../../ground/audit-context';
import { unknownCursor } from '../../ground/relay-error';
import { BackfillsService } from '../../replays/backfills.service';
import { TargetPausesWorker } from '../../targets/target-pauses.worker';
import type { TargetRecord } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import { BodyLimit, Caller, Expensive, TARGET_BYTES } from '../route-decorators';
import { Fails, Returns } from '../../http/responses';
import { assertSelection } from '../assert-selection';
import { ListenerTargets } from '../listener-targets';
import { TargetPresenter } from '../target-presenter';

/** A page ends with the target that exceeds this: one may have hundreds of kilobytes of headers, certificates and tests. */
const MAX_PAGE_BYTES = 512 * 1024;

/** Why the settings of a target are refused. */
export const UNFIT_TARGET = [
  'target_invalid',
  'target_name_taken',
  'filter_invalid',
  'address_denied',
  'own_intake',
] as const;

/** Why its expression is not saved. */
const UNTESTED = ['transform_tests_failed', 'transform_unavailable'] as const;

@Controller('api/v1/targets')
export class TargetsController {
  constructor(
    private readonly targets: TargetsService,
    private readonly pauses: TargetPausesWorker,
    private readonly presenter: TargetPresenter,
    private readonly backfills: BackfillsService,
    private readonly listeners: ListenerTargets,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(200, pageOf(contract.target), 'All targets, oldest first')
  async listTargets(
    @Query({ schema: pageQuery }) { limit, cursor }: PageQuery,
    @Caller() caller: Operator,
  ): Promise<Page<contract.Target>> {
    const last = cursor === undefined ? 0 : numberOf(cursor);
    const rest = this.targets.all().filter(({ number }) => number > last);
    const page = cutAtMaxBytes(rest.slice(0, limit));
    return {
      data: await Promise.all(page.map((record) => this.presenter.present(record, caller))),
      next_cursor: rest.length > page.length ? String(page.at(-1)!.number) : null,
    };
  }

  @Post()
  @Access('receive', 'target.create')
  @BodyLimit(TARGET_BYTES)
  @Returns(201, contract.targetCreated, 'The target with its secret, which is not shown again')
  @Returns(200, contract.targetPatched, 'With `attach`: the listener of this name')
  @Fails(
    ...UNFIT_TARGET,
    ...UNTESTED,
    'too_many_targets',
    'too_many_listeners',
    'target_kind_mismatch',
    'backfill_invalid',
    'payload_masked',
  )
  async createTarget(
    @Body({ schema: contract.targetCreate }) input: contract.TargetCreate,
    @Caller() caller: Operator,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<contract.TargetCreated | contract.TargetPatched> {
    const attached = await this.listeners.attach(input, caller);
    if (attached !== null) {
      reply.status(200);
      return this.presenter.present(attached, caller);
    }
    showsSecret();
    const { attach: _, ...wanted } = input;
    const owner = caller.via === 'api_token' ? caller.credentialId : null;
    const { record, secret, replayId } = await this.backfills.create({ ...wanted, owner });
    const created = { ...(await this.presenter.present(record, caller)), secret };
    return replayId === null ? created : { ...created, backfill_replay_id: replayId };
  }

  @Get(':id')
  @Access('read')
  @Returns(200, contract.target, 'One target')
  getTarget(@Param('id') id: string, @Caller() caller: Operator): Promise<contract.Target> {
    return this.presenter.present(this.targets.byId(id), caller);
  }

  @Patch(':id')
  @Access('operate', 'target.change')
  @BodyLimit(TARGET_BYTES)
  @Returns(200, contract.targetPatched, 'The updated target, with its new secret if one was requested')
  @Fails(...UNFIT_TARGET, ...UNTESTED)
  async updateTarget(
    @Param('id') id: string,
    @Body({ schema: contract.targetPatch }) patch: contract.TargetPatch,
    @Caller() caller: Operator,
  ): Promise<contract.TargetPatched> {
    const { record, secret } = await this.targets.update(id, patch);
    return { ...(await this.presenter.present(record, caller)), ...(secret !== null && { secret }) };
  }

  @Delete(':id')
  @Access('operate', 'target.remove')
  @Returns(204, null, 'Removed: its queued deliveries are cancelled, its history is kept')
  removeTarget(@Param('id') id: string): Promise<void> {
    return this.targets.remove(id);
  }

  @Post(':id/pause')
  @Access('operate', 'target.pause')
  @Returns(200, contract.target, 'The paused target: its deliveries stay queued')
  @Fails('pause_already_over')
  async pauseTarget(
    @Param('id') id: string,
    @Body({ schema: pausing.targetPause }) pause: pausing.TargetPause,
    @Caller() caller: Operator,
  ): Promise<contract.Target> {
    await this.pauses.pause([id], pause);
    return this.presenter.present(this.targets.byId(id), caller);
  }

  @Post(':id/resume')
  @Access('operate', 'target.resume')
  @Returns(200, contract.target, 'The resumed target: its queued deliveries are sent')
  async resumeTarget(@Param('id') id: string, @Caller() caller: Operator): Promise<contract.Target> {
    await this.pauses.resume([id]);
    return this.presenter.present(this.targets.byId(id), caller);
  }

  @Post('pause')
  @Access('operate', 'target.pause')
  @Returns(
    200,
    pausing.changedTargets,
    'The targets of `target_ids`, or `all` that are not paused but those that only receive system events, are paused: which ones were changed',
  )
  @Fails('target_unknown', 'pause_already_over', 'selection_missing', 'selection_ambiguous')
  async pauseTargets(
    @Body({ schema: pausing.targetsPause }) { target_ids: ids, all, ...pause }: pausing.TargetsPause,
  ): Promise<pausing.ChangedTargets> {
    assertSelection('targets', all, { target_ids: ids }, ['target_ids']);
    return idsOf(await this.pauses.pause(ids, pause));
  }

  @Post('resume')
  @Access('operate', 'target.resume')
  @Returns(
    200,
    pausing.changedTargets,
    'The targets of `target_ids`, or `all`, are resumed: which ones were paused',
  )
  @Fails('target_unknown', 'selection_missing', 'selection_ambiguous')
  async resumeTargets(
    @Body({ schema: pausing.targetsResume }) { target_ids: ids, all }: pausing.TargetsResume,
  ): Promise<pausing.ChangedTargets> {
    assertSelection('targets', all, { target_ids: ids }, ['target_ids']);
    return idsOf(await this.pauses.resume(ids));
  }

  @Post(':id/secret/rotate')
  @Access('operate', 'target.rotate_secret', { showsSecret: true })
  @Returns(
    200,
    contract.targetCreated,
    'The target with its new secret, which is not shown again; requests are also signed with the old one for a while',
  )
  async rotateTargetSecret(
    @Param('id') id: string,
    @Body({ schema: secretRotation }) { overlap_seconds: overlapSeconds }: SecretRotation,
    @Caller() caller: Operator,
  ): Promise<contract.TargetCreated> {
    const { record, secret } = await this.targets.rotateSecret(id, overlapSeconds);
    return { ...(await this.presenter.present(record, caller)), secret };
  }
}

const idsOf = (records: readonly TargetRecord[]): pausing.ChangedTargets => ({
  target_ids: records.map(({ id }) => id),
});

/** The cursor is the row key of the last target, so it remains valid when that target is removed. */
function numberOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw unknownCursor();
}

function cutAtMaxBytes(targets: readonly TargetRecord[]): readonly TargetRecord[] {
  let bytes = 0;
  const last = targets.findIndex(({ filter, headers, tls, transform }) => {
    bytes += JSON.stringify({ filter, headers, tls, transform }).length;
    return bytes > MAX_PAGE_BYTES;
  });
  return last === -1 ? targets : targets.slice(0, last + 1);
}
