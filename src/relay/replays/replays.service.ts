import { Inject, Injectable } from '@nestjs/common';
import type { EventReplay, Replay } from '../../contract/replay';
import { Clock } from '../clock';
import { Journal, type ScheduleDraft } from '../database/journal';
import { EventsService } from '../events/events.service';
import { parseStored } from '../events/parse-stored';
import { deliveryId, newId } from '../ids';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { RelayError } from '../relay-error';
import { acceptingTargets } from '../targets/accepting-targets';
import { TargetsService } from '../targets/targets.service';

/** A replay makes new deliveries out of stored events; what was delivered before stays as it is. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly events: EventsService,
    private readonly targets: TargetsService,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Sends one event again, to the targets named or to those that accept it today.
   * @throws RelayError `event_unknown` or `target_unknown`, 404; `no_target`, 409
   */
  async replayEvent(id: string, { target_ids: targetIds }: EventReplay): Promise<Replay> {
    const event = await this.events.find(id);
    const targets =
      targetIds === undefined
        ? acceptingTargets(event, this.targets.all(), () => parseStored(event.body))
        : [...new Set(targetIds)].map((one) => this.targets.byId(one));
    if (targets.length === 0) {
      throw new RelayError('no_target', 409, `No target accepts ${event.type} today.`, {
        remedy: 'Name target_ids, or let a target accept this type.',
      });
    }
    const now = this.clock.now();
    const replayId = newId('rpl', now, this.random);
    const ids = targets.map((target) => target.id);
    const drafts = targets.map(({ number }): ScheduleDraft => ({
      seq: event.seq,
      target: number,
      trigger: 'replay',
      replayId,
      at: now,
    }));
    const { scheduled } = await this.journal.change(
      [
        [
          'INSERT INTO replays(id, event_seq, target_ids, created_at) VALUES (?, ?, ?, ?)',
          [replayId, event.seq, JSON.stringify(ids), now],
        ],
      ],
      drafts,
    );
    this.log.info({ replay: replayId, event: id, targets: ids }, 'replay');
    return {
      id: replayId,
      event_id: id,
      created_at: new Date(now).toISOString(),
      target_ids: ids,
      delivery_ids: scheduled.map((key) => deliveryId(key, this.journal.hub)),
    };
  }
}
