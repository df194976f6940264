import { Injectable } from '@nestjs/common';
import type { TargetCreate } from '../../contract/target';
import { Clock } from '../ground/clock';
import { RelayError } from '../ground/relay-error';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { ReplaysService } from './replays.service';

/** A target, its secret, and the replay that brings it what is stored already, if that was wanted. */
export interface CreatedTarget {
  record: TargetRecord;
  secret: string;
  replayId: string | null;
}

/** Targets that start from a time: made together with a replay of what they would have accepted since then. */
@Injectable()
export class Backfills {
  constructor(
    private readonly targets: TargetsService,
    private readonly replays: ReplaysService,
    private readonly clock: Clock,
  ) {}

  /**
   * Target and replay are one transaction. The replay's last `seq` is frozen once the target gets what arrives; what it got of
   * that live meanwhile is left out. So nothing is missing between the two, and nothing comes by both ways.
   * @throws RelayError `backfill_refused`, 422; as `TargetsService.create` does
   */
  async create({ backfill_since: since, ...wanted }: TargetCreate): Promise<CreatedTarget> {
    if (since === undefined) return { ...(await this.targets.create(wanted)), replayId: null };
    this.check(since, wanted.enabled);
    let replayId = '';
    const made = await this.targets.create(wanted, (targetId) => {
      const { id, statement } = this.replays.draftFor(targetId, {
        types: wanted.events,
        ...(wanted.filter !== null && { payload: wanted.filter }),
        since,
        missed_by: targetId,
      });
      replayId = id;
      return [statement];
    });
    await this.replays.begin(replayId);
    return { ...made, replayId };
  }

  private check(since: number, enabled: boolean): void {
    if (since > this.clock.now())
      throw refused(
        `backfill_since is a time to come: ${new Date(since).toISOString()}.`,
        'Give a time that is past, or leave it out: the target then starts from now.',
      );
    if (!enabled)
      throw refused(
        'A disabled target takes no events, so there is nothing that it could start from.',
        'Leave backfill_since or "enabled": false out.',
      );
  }
}

const refused = (message: string, remedy: string) =>
  new RelayError('backfill_refused', 422, message, { remedy });
