import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AlertsService } from '../events/alerts.service';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Settings } from '../settings/settings';
import { AddressGuard, type AddressDenial } from '../targets/address-guard';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

const TYPE = 'relay.target.address_denied';

/**
 * Raises an alert for each target whose address the settings deny. A target that was saved under other settings is
 * kept, but nothing is sent to it. Targets are checked at startup and when they change.
 */
@Injectable()
export class AddressAlertsWorker implements OnApplicationBootstrap, OnModuleDestroy {
  /** Ids of targets to check. */
  private readonly pending = new Set<string>();
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.error({ err: error }, 'target address check failed'),
  );

  constructor(
    private readonly targets: TargetsService,
    private readonly guard: AddressGuard,
    private readonly settings: Settings,
    private readonly alerts: AlertsService,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { host, targetAllow, targetDeny } = this.settings;
    this.log.info({ host, target_allow: targetAllow, target_deny: targetDeny }, 'allowed target addresses');
    this.targets.onChange(({ id }) => this.enqueue(id));
    for (const { id } of this.targets.all()) this.enqueue(id);
    for (const { type, subject } of this.alerts.active()) if (type === TYPE) this.enqueue(subject);
  }

  onModuleDestroy(): Promise<void> {
    return this.checks.stop();
  }

  private enqueue(id: string): void {
    this.pending.add(id);
    void this.checks.run();
  }

  private async check(): Promise<void> {
    for (const id of this.pending) {
      if (this.checks.isStopped) return;
      this.pending.delete(id);
      const url = this.find(id)?.url ?? null;
      const denial = url === null ? null : await this.guard.describeDenial(url);
      const target = this.find(id);
      if (target === undefined) this.alerts.resolve(TYPE, id, 'The target was deleted.');
      else if (target.url === url) this.report(target, denial);
    }
  }

  private report({ id, name }: TargetRecord, denial: AddressDenial | null): void {
    if (denial === null) return this.alerts.resolve(TYPE, id, `The address of ${name} is allowed.`);
    const { remedy } = denial;
    const sentence = `Nothing is sent to ${name}: ${denial.sentence}`;
    this.log.warn({ target: id, name, remedy }, sentence);
    const data = { target_id: id, target_name: name };
    this.alerts.raise({ type: TYPE, subject: id, severity: 'critical', sentence, remedy, data });
  }

  private find(id: string): TargetRecord | undefined {
    return this.targets.all().find((target) => target.id === id);
  }
}
