import { Injectable } from '@nestjs/common';
import { ActiveKeys } from './active-keys';
import { CheckAge } from './check-age';
import { describeSubscription, type SubscriptionState } from './describe-subscription';
import { DriftStore } from './drift.store';
import { RegistrationStore } from './registration.store';
import { ReportedWebhooks } from './reported-webhooks';
import { ForeignWebhooks } from './foreign-webhooks';

/** Reads the state of the subscription. */
@Injectable()
export class SubscriptionService {
  constructor(
    private readonly registrations: RegistrationStore,
    private readonly keys: ActiveKeys,
    private readonly drifts: DriftStore,
    private readonly foreign: ForeignWebhooks,
    private readonly reported: ReportedWebhooks,
    private readonly checkAge: CheckAge,
  ) {}

  /** As the API shows it, with the key masked. */
  state(): SubscriptionState {
    return describeSubscription({
      current: this.registrations.current(),
      checkOverdue: this.checkAge.state === 'overdue',
      rotating: this.registrations.rotating(),
      replaced: this.registrations.replaced(),
      drift: this.drifts.all(),
      foreign: this.foreign.all(),
      reported: this.reported.all(),
      lastNotificationAt: this.keys.lastNotification,
    });
  }

  /** Calls `listener` after each change of `state()`, once it is stored. */
  onChange(listener: () => void): void {
    this.registrations.onChange(listener);
    this.drifts.onDrift(() => listener());
  }
}
