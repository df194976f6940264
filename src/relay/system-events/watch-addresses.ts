import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Alerts } from '../events/alerts';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Settings } from '../settings/settings';
import { AddressGuard, type AddressRefusal } from '../targets/address-guard';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

const TYPE = 'relay.target.address_denied';

/**
 * Raises an alert for each target whose address the settings refuse: one that was saved under other settings stays, and
 * nothing is sent to it. Each is looked at when the daemon starts and when it changes.
 */
@Injectable()
export class WatchAddresses implements OnApplicationBootstrap, OnModuleDestroy {
  /** Ids of those that are to be looked at. */
  private readonly pending = new Set<string>();
  private readonly looking = new NonOverlapping(
    () => this.look(),
    (error) => this.log.error({ err: error }, 'addresses of targets'),
  );

  constructor(
    private readonly targets: TargetsService,
    private readonly guard: AddressGuard,
    private readonly settings: Settings,
    private readonly alerts: Alerts,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { host, targetAllow, targetDeny } = this.settings;
    this.log.info({ host, target_allow: targetAllow, target_deny: targetDeny }, 'where deliveries may go');
    this.targets.onChange(({ id }) => this.lookAt(id));
    for (const { id } of this.targets.all()) this.lookAt(id);
    for (const { type, subject } of this.alerts.active()) if (type === TYPE) this.lookAt(subject);
  }

  onModuleDestroy(): Promise<void> {
    return this.looking.stop();
  }

  private lookAt(id: string): void {
    this.pending.add(id);
    void this.looking.run();
  }

  private async look(): Promise<void> {
    for (const id of this.pending) {
      if (this.looking.isStopped) return;
      this.pending.delete(id);
      const url = this.find(id)?.url;
      const refusal = url === undefined ? null : await this.guard.describeRefusal(url);
      const target = this.find(id);
      if (target === undefined) this.alerts.resolve(TYPE, id, 'The target was removed.');
      else if (target.url === url) this.tell(target, refusal);
    }
  }

  private tell({ id, name }: TargetRecord, refusal: AddressRefusal | null): void {
    if (refusal === null) {
      this.alerts.resolve(TYPE, id, `The address of ${name} is one that targets may have.`);
      return;
    }
    const { remedy } = refusal;
    const sentence = `Nothing is sent to ${name}: ${refusal.sentence}`;
    this.log.warn({ target: id, name, remedy }, sentence);
    this.alerts.raise({ type: TYPE, subject: id, severity: 'critical', sentence, remedy });
  }

  private find(id: string): TargetRecord | undefined {
    return this.targets.all().find((target) => target.id === id);
  }
}
