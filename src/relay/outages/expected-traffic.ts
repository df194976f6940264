import { Injectable } from '@nestjs/common';
import { SubscriptionService } from '../subscription/subscription.service';
import { Signal } from '../ground/signal';

/**
 * Whether notifications are expected: while our webhook is registered at Co-Pilot and not paused, with or without a
 * grant. It does not change while a registration is in progress or its outcome is unknown.
 */
@Injectable()
export class ExpectedTraffic {
  private expecting = false;
  private readonly changes = new Signal();

  constructor(private readonly subscription: SubscriptionService) {
    subscription.onChange(() => this.update());
  }

  get current(): boolean {
    this.update();
    return this.expecting;
  }

  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  private update(): void {
    const { state } = this.subscription.state();
    const expecting = state === 'active' || (state !== 'none' && state !== 'paused' && this.expecting);
    if (expecting === this.expecting) return;
    this.expecting = expecting;
    this.changes.emit();
  }
}
