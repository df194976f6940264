import { Injectable } from '@nestjs/common';
import type { DeliveryDetail } from '../../../contract/delivery';
import type { Explanation, TargetExplanation } from '../../../contract/explanation';
import type { MatchRequest, TargetMatches } from '../../../contract/target-test';
import { Journal } from '../../database/journal/journal';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { DeliveriesService } from '../../deliveries/deliveries.service';
import { RecentAttemptsStore } from '../../deliveries/recent-attempts.store';
import { DispatchWorker } from '../../deliveries/queue/dispatch.worker';
import {
  NOT_SCHEDULED,
  QueuePositionQuery,
  type QueuePosition,
} from '../../deliveries/queue/queue-position.query';
import { ListenerLinks } from '../../deliveries/listeners/listener-links';
import { BreakerStore } from '../../deliveries/sending/breaker.store';
import { previousIn } from '../../filters/body-conditions';
import type { PayloadMask } from '../../filters/payload-mask';
import { Clock } from '../../ground/clock';
import { eventId, keyOfDeliveryId, type InstanceId } from '../../ground/ids';
import { TimeBounds } from '../../ground/time-bounds';
import { maxAttempts } from '../../targets/retry-delay';
import type { TargetRecord } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import type { EventEntity } from '../event.entity';
import { parseBody } from '../../ground/parse-body';
import { EntityStatesQuery, isLate, type Before } from '../entities/entity-states.query';
import { idOfState } from '../entities/present-state';
import { EventsService } from '../events.service';
import {
  explainDelivery,
  type LanePosition,
  type QueueContext,
  type TargetFinding,
} from './explain-delivery';
import { explainMissingDelivery, whyNotAccepted } from './explain-missing-delivery';
import { summarizeFindings } from './summarize-findings';

/** A lane may hold millions of deliveries; more than these are not counted. */
const MAX_AHEAD = 1_000;

const AHEAD_IN_LANE = `SELECT d.event_seq AS seq, d.state AS state, e.received_at AS "receivedAt"
  FROM deliveries d JOIN events e ON e.seq = d.event_seq
  WHERE d.target_id = ? AND d.lane = ? AND d.finished_at IS NULL AND (d.event_seq, d.n) < (?, ?)
  ORDER BY d.event_seq, d.n LIMIT ${MAX_AHEAD}`;

const NO_ENTITY =
  ' The target is sent the events of each entity in order; this event has no entity, so it has no order.';

const ERASED = {
  outcome: 'not_sent' as const,
  brief: 'erased',
  reason: 'The content of the event was erased.',
};

const NOT_EVALUATED: TargetFinding = {
  outcome: 'queued',
  brief: 'not evaluated yet',
  reason: 'Not evaluated yet: its filter compares with the previous state.',
};

type Named = Pick<TargetExplanation, 'target_id' | 'name'>;

/** Explains for every target what became of an event there, and why. */
@Injectable()
export class ExplainEventQuery {
  constructor(
    private readonly events: EventsService,
    private readonly states: EntityStatesQuery,
    private readonly deliveries: DeliveriesService,
    private readonly targets: TargetsService,
    private readonly breakers: BreakerStore,
    private readonly listeners: ListenerLinks,
    private readonly dispatcher: DispatchWorker,
    private readonly positions: QueuePositionQuery,
    private readonly recent: RecentAttemptsStore,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  /** @throws RelayError `event_unknown`, 404 */
  async explain(id: string, mask: PayloadMask | null, signal?: RequestSignal): Promise<Explanation> {
    const event = await this.events.find(id);
    const before = (await this.states.before([event.seq], signal)).get(event.seq) ?? null;
    const [router] = await this.reader.all<{ position: number }>(['SELECT position FROM router', []], signal);
    const isAwaited = router !== undefined && event.seq > router.position;
    const compared = { mask, ...previousOf(before, this.journal.instanceId) };
    const byTarget = new Map<string, DeliveryDetail[]>();
    for (const delivery of await this.deliveries.ofEvent(event.seq))
      byTarget.set(delivery.target_id, [...(byTarget.get(delivery.target_id) ?? []), delivery]);

    const isErased = (await this.events.erasureOf(event.seq)) !== null;
    const existing = this.targets.all();
    const deleted = [...byTarget.keys()].filter(
      (targetId) => !existing.some((target) => target.id === targetId),
    );
    const findings = await Promise.all([
      ...existing.map((target) =>
        isErased && !byTarget.has(target.id)
          ? { target_id: target.id, name: target.name, ...ERASED }
          : this.explainTarget(event, target, byTarget.get(target.id) ?? [], compared, isAwaited, signal),
      ),
      ...deleted.map((targetId) => explainDeleted(byTarget.get(targetId)!)),
    ]);
    return {
      event_id: id,
      late: before !== null && isLate(before),
      summary: `${isErased ? `${ERASED.reason} ` : ''}${summarizeFindings(findings)}`,
      targets: findings.map(({ target_id, name, outcome, reason }) => ({ target_id, name, outcome, reason })),
    };
  }

  /** Which targets would receive a notification with this type and body. */
  match({ type, raw }: MatchRequest, mask: PayloadMask | null): TargetMatches {
    const event = { type, receivedAt: this.clock.now() };
    const payload = parseBody(Buffer.from(raw));
    const targets = this.targets.all().map((target) => ({
      target_id: target.id,
      name: target.name,
      reason: whyNotAccepted(event, target, () => payload, { mask })?.[1] ?? null,
    }));
    return { targets };
  }

  private async explainTarget(
    event: EventEntity,
    target: TargetRecord,
    deliveries: readonly DeliveryDetail[],
    compared: Parameters<typeof explainMissingDelivery>[3],
    isAwaited: boolean,
    signal: RequestSignal | undefined,
  ): Promise<TargetFinding & Named> {
    const named = { target_id: target.id, name: target.name };
    const newest = deliveries.at(-1);
    if (newest === undefined && isAwaited && target.routing !== null) return { ...named, ...NOT_EVALUATED };
    if (newest === undefined)
      return { ...named, ...explainMissingDelivery(event, target, () => parseBody(event.body), compared) };
    const { paused } = target;
    const offline = this.listeners.isOffline(target);
    const breaker = this.openBreaker(target.number);
    const isHeld = paused !== null || offline || breaker !== null;
    const context: QueueContext = {
      now: this.clock.now(),
      paused,
      offline,
      breaker,
      lane: newest.state === 'waiting' ? await this.positionInLane(newest, signal) : null,
      inFlight: this.dispatcher.inFlight(target.number),
      concurrency: target.policy.concurrency,
      position:
        isHeld || newest.due_at === null ? NOT_SCHEDULED : await this.positionInQueue(newest.id, signal),
      perMinute: this.recent.perMinute(target.number),
      maxAttempts: maxAttempts(target.policy),
    };
    const finding = explainDelivery(newest, deliveries.slice(0, -1), context);
    const isUnordered = target.policy.ordering === 'entity' && event.entity === null;
    return { ...named, ...finding, reason: isUnordered ? `${finding.reason}${NO_ENTITY}` : finding.reason };
  }

  private openBreaker(target: number): QueueContext['breaker'] {
    const { open } = this.breakers.of(target);
    return open && { reason: open.reason, probeAt: this.bounds.toWallClock(open.probeAt) };
  }

  private positionInQueue(id: string, signal?: RequestSignal): Promise<QueuePosition> {
    return this.positions.of(keyOfDeliveryId(id, this.journal.instanceId)!, signal);
  }

  private async positionInLane({ id, lane }: DeliveryDetail, signal?: RequestSignal): Promise<LanePosition> {
    const { instanceId } = this.journal;
    const { seq, target, n } = keyOfDeliveryId(id, instanceId)!;
    const ahead = await this.reader.all<{ seq: number; state: string; receivedAt: number }>(
      [AHEAD_IN_LANE, [target, lane, seq, n]],
      signal,
    );
    const [head] = ahead;
    return {
      ahead: ahead.length,
      isMore: ahead.length === MAX_AHEAD,
      blockedBy: head?.state === 'dead' ? eventId(head.receivedAt, head.seq, instanceId) : null,
    };
  }
}

/** What a filter compares an event with. */
const previousOf = (before: Before | null, instanceId: InstanceId) => ({
  previous: before && previousIn({ knowledge: before.knowledge, body: before.previous?.body ?? null }),
  previousId: before?.previous ? idOfState(before.previous, instanceId) : null,
});

async function explainDeleted(deliveries: readonly DeliveryDetail[]): Promise<TargetFinding & Named> {
  const newest = deliveries.at(-1)!;
  const finding = explainDelivery(newest, deliveries.slice(0, -1), null);
  const reason = `${finding.reason} The target was deleted.`;
  return { target_id: newest.target_id, name: newest.target_name, ...finding, reason };
}
