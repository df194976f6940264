import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { inJsonList } from '../database/reading/dialect';
import { Journal } from '../database/journal/journal';
import { repairIn } from '../database/journal/repair-of';
import { Reader } from '../database/reading/reader';
import { Backlog } from '../deliveries/queue/backlog';
import { TargetStates, type TargetState } from '../deliveries/target-states';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { deliveryId } from '../ground/ids';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

const TICK_MS = 1_000;
const DEAD_LETTERS = 'relay.delivery.dead';
const UNDELIVERED = 'relay.alerts.undelivered';
const QUIET_AFTER_MS = 60 * 60_000;

type DeadLetterState = Extract<TargetState, { kind: 'dead' }>;

const SELECT_SYSTEM_EVENTS = `SELECT e.seq, e.type FROM events e
  WHERE e.seq ${inJsonList()} AND e.signature_header = '' AND ${repairIn('e')} IS NULL`;

/**
 * Raises an alert for each target and cause of dead letters, and another one if system events are among them: then
 * somebody did not learn of something. An alert is resolved when the target has no dead letters left, or none was
 * added for an hour. Dead letters of the second one raise no alert: they could go on forever.
 */
@Injectable()
export class DeadLetterAlertsWorker implements OnModuleDestroy {
  private readonly pending: DeadLetterState[] = [];
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.error({ err: error }, 'dead letter alerts failed'),
  );

  constructor(
    targetStates: TargetStates,
    private readonly targets: TargetsService,
    private readonly backlog: Backlog,
    private readonly alerts: AlertsService,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly log: Log,
  ) {
    targetStates.onTargetState((state) => {
      if (state.kind === 'dead') this.pending.push(state);
    });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.checks.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.checks.stop();
  }

  private async check(): Promise<void> {
    for (const deadLetters of await this.takePendingByCause())
      if (this.hasDeadLetters(deadLetters.of[0]!.target.id))
        this.alerts.raise(this.alertOf(deadLetters), deadLetters.of.length);
    for (const { type, subject } of this.alerts.active())
      if ((type === DEAD_LETTERS || type === UNDELIVERED) && !this.hasDeadLetters(targetIn(subject)))
        this.alerts.resolve(
          type,
          subject,
          'All dead letters were retried, discarded, or delivered by a replay.',
        );
  }

  /** New dead letters since the last check by alert, target and cause. */
  private async takePendingByCause(): Promise<DeadLetters[]> {
    const { length } = this.pending;
    if (length === 0) return [];
    const seqs = JSON.stringify([...new Set(this.pending.map(({ key }) => key.seq))]);
    const rows = await this.reader.all<{ seq: number; type: string }>([SELECT_SYSTEM_EVENTS, [seqs]]);
    const systemEvents = new Map(rows.map(({ seq, type }) => [seq, type]));
    const byCause = new Map<string, DeadLetters>();
    for (const deadLetter of this.pending.splice(0, length)) {
      const systemType = systemEvents.get(deadLetter.key.seq);
      if (systemType === UNDELIVERED) continue;
      const alert = systemType === undefined ? DEAD_LETTERS : UNDELIVERED;
      const cause = `${alert} ${subjectOf(deadLetter)}`;
      if (!byCause.has(cause)) byCause.set(cause, { alert, of: [] });
      byCause.get(cause)!.of.push(deadLetter);
    }
    return [...byCause.values()];
  }

  private alertOf({ alert, of: deadLetters }: DeadLetters): Alert {
    const latest = deadLetters.at(-1)!;
    const { target, cause, reason } = latest;
    return {
      type: alert,
      subject: subjectOf(latest),
      severity: 'critical',
      ...TEXTS[alert](target, reason),
      data: { target_id: target.id, target_name: target.name, error: cause, reason },
      deliveries: deadLetters.map(({ key }) => deliveryId(key, this.journal.instanceId)),
      quietAfterMs: QUIET_AFTER_MS,
    };
  }

  /** Whether a target has dead letters left. */
  private hasDeadLetters(targetId: string): boolean {
    const target = this.targets.all().find(({ id }) => id === targetId);
    return target !== undefined && this.backlog.dead(target.number) > 0;
  }
}

interface DeadLetters {
  alert: typeof DEAD_LETTERS | typeof UNDELIVERED;
  of: DeadLetterState[];
}

const TEXTS: Record<
  DeadLetters['alert'],
  (target: TargetRecord, reason: string) => Pick<Alert, 'sentence' | 'remedy'>
> = {
  [DEAD_LETTERS]: ({ name, policy }, reason) => ({
    sentence: `Deliveries to ${name} became dead letters: ${reason}`,
    remedy: `Fix the receiver, then retry or discard what failed${
      policy.ordering !== 'none' && policy.on_dead === 'stop' ? '. Deliveries behind it are blocked.' : '.'
    }`,
  }),
  [UNDELIVERED]: ({ name }, reason) => ({
    sentence: `${name} was not told about alerts: ${reason}`,
    remedy: 'Correct and test the target; then retry what was not sent.',
  }),
};

const subjectOf = ({ target, cause }: DeadLetterState) => `${target.id} ${cause}`;
const targetIn = (subject: string) => subject.slice(0, subject.indexOf(' '));
