import { Injectable } from '@nestjs/common';
import { SubscriptionService } from '../subscription/subscription.service';

/**
 * Whether something can arrive: while a webhook of ours stands at Co-Pilot and is not paused there. The grant does not
 * matter: Co-Pilot sends without it. While a registration is under way, or its outcome unknown, it stays as it was.
 */
@Injectable()
export class Expectation {
  private expecting = false;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly subscription: SubscriptionService) {
    subscription.onChange(() => this.look());
  }

  get current(): boolean {
    this.look();
    return this.expecting;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private look(): void {
    const { state } = this.subscription.state();
    const expecting = state === 'active' || (state !== 'none' && state !== 'paused' && this.expecting);
    if (expecting === this.expecting) return;
    this.expecting = expecting;
    for (const listener of this.listeners) listener();
  }
}
