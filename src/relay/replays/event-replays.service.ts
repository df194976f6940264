import { Injectable } from '@nestjs/common';
import type { EventReplay, EventResend, Replay, Resent } from '../../contract/replay';
import { Clock } from '../ground/clock';
import { Journal, type ScheduleDraft } from '../database/journal/journal';
import { EventsService } from '../events/events.service';
import { parseBody, writeJson } from '../ground/parse-body';
import { deliveryId, newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { acceptingTargets } from '../targets/accepting-targets';
import { TargetsService } from '../targets/targets.service';
import { namedTargets } from '../targets/named-targets';
import { ReplaysService } from './replays.service';

/** Sends a single event again; its earlier deliveries are not changed. */
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
   * Sends it to the given targets, or to those that accept it now. The replay is stored with its deliveries.
   * @throws RelayError `event_unknown` or `target_unknown`, 404; `no_target` or `target_gone`, 409; `event_erased`, 410
   */
  async replay(id: string, { target_ids: targetIds }: EventReplay): Promise<Replay> {
    const event = await this.events.findReadable(id);
    const targets =
      targetIds === undefined
        ? acceptingTargets(
            event,
            this.targets.all(),
            () => parseBody(event.body),
            await this.events.previousOf(event),
          )
        : namedTargets(this.targets, targetIds);
    if (targets.length === 0) {
      throw new RelayError('no_target', 409, `No target accepts ${event.type}.`, {
        remedy: 'Set target_ids, or change the filter of a target so that it accepts this event.',
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
    this.log.info({ replay: replayId, event: id, targets: ids }, 'event replayed');
    return {
      id: replayId,
      event_id: id,
      created_at: new Date(now).toISOString(),
      target_ids: ids,
      delivery_ids: scheduled.map((key) => deliveryId(key, this.journal.instanceId)),
    };
  }

  /**
   * Sends it with an edited body. The deliveries are marked as edited, and have no signature of Co-Pilot, which would
   * not match.
   * @throws RelayError `event_unknown` or `target_unknown`, 404; `target_gone` or `target_not_json`, 409; `event_erased`, 410
   */
  async resend(id: string, { body, target_ids: targetIds }: EventResend): Promise<Resent> {
    const { seq } = await this.events.findReadable(id);
    const targets = namedTargets(this.targets, targetIds);
    const notJson = targets.find(({ format }) => format !== 'json');
    if (notJson !== undefined)
      throw new RelayError(
        'target_not_json',
        409,
        `The target "${notJson.name}" receives messages about alerts, which cannot be edited.`,
        { remedy: 'Leave it out, or replay the event: then it receives the message about the stored event.' },
      );
    const at = this.clock.now();
    const editedBody = Buffer.from(typeof body === 'string' ? body : writeJson(body));
    const drafts = targets.map(({ number }): ScheduleDraft => ({
      seq,
      target: number,
      trigger: 'manual',
      replayId: null,
      at,
      editedBody,
    }));
    const { scheduled } = await this.journal.change({ schedule: drafts });
    this.log.info({ event: id, targets: targetIds }, 'edited event sent');
    return { event_id: id, delivery_ids: scheduled.map((key) => deliveryId(key, this.journal.instanceId)) };
  }
}
