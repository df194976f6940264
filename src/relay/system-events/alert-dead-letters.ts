import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Journal } from '../database/journal';
import { Reader } from '../database/reader';
import { Backlog } from '../deliveries/queue/backlog';
import { TargetStates, type TargetState } from '../deliveries/queue/target-states';
import { Alerts, type Alert } from '../events/alerts';
import { deliveryId } from '../ground/ids';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { TargetsService } from '../targets/targets.service';

const TICK_MS = 1_000;
const DEAD = 'relay.delivery.dead';
const QUIET_AFTER_MS = 60 * 60_000;

/** So many of the deliveries are named by their ids. */
const NAMED = 20;

type Death = Extract<TargetState, { kind: 'dead' }>;

const OWN_AMONG = `
  SELECT e.seq AS seq FROM json_each(?) wanted CROSS JOIN events e ON e.seq = wanted.value WHERE e.signature_header = ''`;

/**
 * Raises an alert for each target and cause where deliveries are given up. It is resolved when none of them stands any
 * more, or none has been given up for an hour. A delivery of an event of our own that dies raises none: the event of the
 * alert might die in its turn, for ever.
 */
@Injectable()
export class AlertDeadLetters implements OnModuleDestroy {
  private readonly deaths: Death[] = [];
  private readonly looking = new NonOverlapping(
    () => this.look(),
    (error) => this.log.error({ err: error }, 'alerts of dead letters'),
  );

  constructor(
    targetStates: TargetStates,
    private readonly targets: TargetsService,
    private readonly backlog: Backlog,
    private readonly alerts: Alerts,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly log: Log,
  ) {
    targetStates.onTargetState((state) => {
      if (state.kind === 'dead') this.deaths.push(state);
    });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.looking.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.looking.stop();
  }

  private async look(): Promise<void> {
    for (const deaths of await this.takeByCause())
      if (this.stands(deaths[0]!.target.id)) this.alerts.raise(this.alertOf(deaths), deaths.length);
    for (const { type, subject } of this.alerts.active())
      if (type === DEAD && !this.stands(targetIn(subject)))
        this.alerts.resolve(DEAD, subject, 'All that was given up has been sent again or let go.');
  }

  /** What died since the last look, without what was our own, by target and cause. */
  private async takeByCause(): Promise<Death[][]> {
    const { length } = this.deaths;
    if (length === 0) return [];
    const seqs = JSON.stringify([...new Set(this.deaths.map(({ key }) => key.seq))]);
    const own = new Set((await this.reader.all<{ seq: number }>([OWN_AMONG, [seqs]])).map(({ seq }) => seq));
    const byCause = new Map<string, Death[]>();
    for (const death of this.deaths.splice(0, length)) {
      if (own.has(death.key.seq)) continue;
      const subject = subjectOf(death);
      const alike = byCause.get(subject);
      if (alike === undefined) byCause.set(subject, [death]);
      else alike.push(death);
    }
    return [...byCause.values()];
  }

  private alertOf(deaths: Death[]): Alert {
    const death = deaths.at(-1)!;
    const { target, cause, reason } = death;
    return {
      type: DEAD,
      subject: subjectOf(death),
      severity: 'critical',
      sentence: `Deliveries to ${target.name} are given up: ${reason}`,
      remedy:
        'Set the target right, then send them again or discard them: Failures in the dashboard lists them.',
      data: {
        target_id: target.id,
        target_name: target.name,
        error: cause,
        reason,
        deliveries: deaths.slice(0, NAMED).map(({ key }) => deliveryId(key, this.journal.instanceId)),
      },
      quietAfterMs: QUIET_AFTER_MS,
    };
  }

  /** Whether anything that was given up at a target still waits for an operator. */
  private stands(targetId: string): boolean {
    const target = this.targets.all().find(({ id }) => id === targetId);
    return target !== undefined && this.backlog.dead(target.number) > 0;
  }
}

const subjectOf = ({ target, cause }: Death) => `${target.id} ${cause}`;
const targetIn = (subject: string) => subject.slice(0, subject.indexOf(' '));
