import { Injectable } from '@nestjs/common';
import type { Subscription } from '../../contract/subscription';
import { SilenceWorker } from '../outages/silence.worker';
import { SubscriptionService } from '../subscription/subscription.service';
import { ReachabilityWorker } from './reachability/reachability.worker';

/** The subscription with what other features know about it, as the API shows it. */
@Injectable()
export class SubscriptionStatusQuery {
  constructor(
    private readonly subscription: SubscriptionService,
    private readonly silence: SilenceWorker,
    private readonly reachability: ReachabilityWorker,
  ) {}

  read(): Subscription {
    return {
      ...this.subscription.state(),
      silence: this.silence.current,
      reachability: this.reachability.last,
    };
  }

  /** Calls `listener` after each change of `read()`, once it is stored. */
  onChange(listener: () => void): void {
    this.subscription.onChange(listener);
    this.silence.onChange(listener);
    this.reachability.onChecked(listener);
  }
}
