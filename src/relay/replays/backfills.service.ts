import { Injectable } from '@nestjs/common';
import type { TargetCreate } from '../../contract/target';
import { Clock } from '../ground/clock';
import { RelayError } from '../ground/relay-error';
import type { NewTarget, TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { ReplaysService } from './replays.service';

/** A new target, its secret, and the replay of earlier events, if requested. */
export interface CreatedTarget {
  record: TargetRecord;
  secret: string;
  replayId: string | null;
}

/** Creates targets with a backfill: a replay of the stored events they would have accepted since a given time. */
@Injectable()
export class BackfillsService {
  constructor(
    private readonly targets: TargetsService,
    private readonly replays: ReplaysService,
    private readonly clock: Clock,
  ) {}

  /**
   * Target and replay are created in one transaction. The last `seq` of the replay is fixed once the target receives
   * live events, and events it received live are left out, so no event is missing or delivered twice.
   * @throws RelayError `backfill_invalid`, 422; as `TargetsService.create` does
   */
  async create({
    backfill_since: since,
    ...wanted
  }: NewTarget & Pick<TargetCreate, 'backfill_since'>): Promise<CreatedTarget> {
    if (since === undefined) return { ...(await this.targets.create(wanted)), replayId: null };
    this.check(since, wanted);
    let replayId = '';
    const created = await this.targets.create(wanted, (targetId) => {
      const { id, statement } = this.replays.draftFor(targetId, {
        types: wanted.events ?? ['*'],
        ...(wanted.filter && { payload: wanted.filter }),
        ...(wanted.policy.unknown_previous && { unknown_previous: wanted.policy.unknown_previous }),
        since,
        missed_by: targetId,
      });
      replayId = id;
      return [statement];
    });
    await this.replays.run(replayId);
    return { ...created, replayId };
  }

  private check(since: number, { enabled, format }: Pick<TargetCreate, 'enabled' | 'format'>): void {
    if (format !== 'json')
      throw backfillRejected(
        `A target with the format ${format} receives new alerts only.`,
        'Omit backfill_since; GET /api/v1/alerts?state=resolved lists earlier alerts.',
      );
    if (since > this.clock.now())
      throw backfillRejected(
        `backfill_since is in the future: ${new Date(since).toISOString()}.`,
        'Set a time in the past, or omit it: the target then receives only new events.',
      );
    if (!enabled)
      throw backfillRejected(
        'A disabled target receives no events, so nothing can be backfilled.',
        'Omit backfill_since or "enabled": false.',
      );
  }
}

const backfillRejected = (message: string, remedy: string) =>
  new RelayError('backfill_invalid', 422, message, { remedy });
