import { Injectable } from '@nestjs/common';
import { SubscriptionService } from '../subscription/subscription.service';

/**
 * Whether notifications are expected: while our webhook is registered at Co-Pilot and not paused. The grant
 * does not matter: Co-Pilot sends without it. While a registration is in progress, or its outcome unknown,
 * the value is unchanged.
 */
@Injectable()
export class ExpectedTraffic {
  private expecting = false;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly subscription: SubscriptionService) {
    subscription.onChange(() => this.update());
  }

  get current(): boolean {
    this.update();
    return this.expecting;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private update(): void {
    const { state } = this.subscription.state();
    const expecting = state === 'active' || (state !== 'none' && state !== 'paused' && this.expecting);
    if (expecting === this.expecting) return;
    this.expecting = expecting;
    for (const listener of this.listeners) listener();
  }
}
