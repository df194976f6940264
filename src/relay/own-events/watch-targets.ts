import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Alerts } from '../events/alerts';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

const TICK_MS = 10_000;

const DISABLED = 'relay.target.disabled';

/** Raises an alert for each target that Switchboard disabled, until somebody enables or removes it. */
@Injectable()
export class WatchTargets {
  constructor(
    private readonly targets: TargetsService,
    private readonly alerts: Alerts,
  ) {
    targets.onChange((target) => this.look(target));
  }

  /** Again and again, since at a start and after a restart no change is told. */
  @Interval(TICK_MS)
  tick(): void {
    for (const target of this.targets.all()) this.look(target);
  }

  private look(target: TargetRecord): void {
    const { number, id, name, disabled } = target;
    if (this.targets.byNumber(number) === null) this.alerts.resolve(DISABLED, id, `${name} was removed.`);
    else if (disabled === null) this.alerts.resolve(DISABLED, id, `${name} takes new events again.`);
    else this.raiseDisabled(target, disabled.reason);
  }

  private raiseDisabled({ id, name }: TargetRecord, reason: string): void {
    if (this.alerts.active().some(({ type, subject }) => type === DISABLED && subject === id)) return;
    this.alerts.raise({
      type: DISABLED,
      subject: id,
      severity: 'critical',
      sentence: `${name} is disabled: ${reason} New events pass it by, and what was open there became dead letters.`,
      remedy:
        'Ask whoever runs the receiver. Once it is back, enable the target, retry what failed, and replay what passed it by.',
      data: { target_id: id, target_name: name, reason },
    });
  }
}
