import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { AlertsService } from '../events/alerts.service';
import { Clock } from '../ground/clock';
import { describeMachineFault, MachineFaults } from '../ground/machine-faults';

const TICK_MS = 1_000;
const FAULT = 'relay.machine.fault';
const OVER_AFTER_MS = 60_000;

/** Raises an alert while this machine, not a target or Co-Pilot, lets connections fail, for each error code. */
@Injectable()
export class MachineAlertsWorker {
  /** By monotonic time. */
  private readonly lastAt = new Map<string, number>();

  constructor(
    faults: MachineFaults,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
  ) {
    faults.onReport((code) => {
      const isNew = !this.lastAt.has(code);
      this.lastAt.set(code, clock.monotonic());
      if (isNew) this.raise(code);
    });
  }

  @Interval(TICK_MS)
  tick(): void {
    const { alerts, lastAt } = this;
    for (const { type, subject } of alerts.active())
      if (type === FAULT && this.clock.monotonic() - (lastAt.get(subject) ?? -Infinity) >= OVER_AFTER_MS) {
        lastAt.delete(subject);
        alerts.resolve(FAULT, subject, 'For a minute it has not happened again.');
      }
  }

  private raise(code: string): void {
    const { what, remedy } = describeMachineFault(code)!;
    this.alerts.raise({
      type: FAULT,
      subject: code,
      severity: 'critical',
      sentence: `Connections fail: ${what} (${code}). What is not sent is tried again, and counts for no target.`,
      remedy,
      data: { code },
    });
  }
}
