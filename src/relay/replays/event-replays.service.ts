import { Injectable } from '@nestjs/common';
import type { EventReplay, EventResend, Replay, Resent } from '../../contract/replay';
import { Clock } from '../ground/clock';
import { Journal, type ScheduleDraft } from '../database/journal';
import { EventsService } from '../events/events.service';
import { parseStored } from '../events/parse-stored';
import { deliveryId, newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { acceptingTargets } from '../targets/accepting-targets';
import { TargetsService } from '../targets/targets.service';
import { ReplaysService } from './replays.service';

/** One event sent again; what was delivered before stays as it is. */
@Injectable()
export class EventReplaysService {
  constructor(
    private readonly events: EventsService,
    private readonly targets: TargetsService,
    private readonly replays: ReplaysService,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /**
   * To the targets named or to those that accept it today: a replay whose one step is done at once.
   * @throws RelayError `event_unknown` or `target_unknown`, 404; `no_target`, 409
   */
  async replay(id: string, { target_ids: targetIds }: EventReplay): Promise<Replay> {
    const event = await this.events.find(id);
    const targets =
      targetIds === undefined
        ? acceptingTargets(event, this.targets.all(), () => parseStored(event.body))
        : this.named(targetIds);
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
    const scheduled = await this.replays.insert(
      {
        id: replayId,
        filter: {},
        event_seq: event.seq,
        target_ids: ids,
        rate: 'as_fast_as_allowed',
        until_seq: event.seq,
        position: event.seq,
        total: 1,
        estimated: false,
        newest_at: event.receivedAt,
        events: 1,
        deliveries: drafts.length,
        created_at: now,
      },
      drafts,
    );
    this.log.info({ replay: replayId, event: id, targets: ids }, 'replay');
    return {
      id: replayId,
      event_id: id,
      created_at: new Date(now).toISOString(),
      target_ids: ids,
      delivery_ids: scheduled.map((key) => deliveryId(key, this.journal.instanceId)),
    };
  }

  /**
   * With another payload, by hand. The delivery is marked as edited, and Co-Pilot's signature, which would not fit, left out.
   * @throws RelayError `event_unknown` or `target_unknown`, 404
   */
  async resend(id: string, { body, target_ids: targetIds }: EventResend): Promise<Resent> {
    const { seq } = await this.events.find(id);
    const at = this.clock.now();
    const editedBody = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const drafts = this.named(targetIds).map(({ number }): ScheduleDraft => ({
      seq,
      target: number,
      trigger: 'manual',
      replayId: null,
      at,
      editedBody,
    }));
    const { scheduled } = await this.journal.change([], drafts);
    this.log.info({ event: id, targets: targetIds }, 'edited and sent again');
    return { event_id: id, delivery_ids: scheduled.map((key) => deliveryId(key, this.journal.instanceId)) };
  }

  private named(ids: readonly string[]) {
    return [...new Set(ids)].map((id) => this.targets.byId(id));
  }
}
