import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { Log } from '../ground/log';
import type { OnListening } from '../ground/on-listening';
import { SerialQueue } from '../ground/serial-queue';
import { RegistrationStore } from '../subscription/registration.store';
import { WebhookVerification } from '../subscription/webhook-verification';
import { OutageStore } from './outage.store';

/**
 * Records an outage while our webhook is missing or inactive at Co-Pilot, from the last good check on. Its gap event is
 * stored before the webhook is repaired: nothing has arrived since, and everything that follows comes after it.
 */
@Injectable()
export class UnregisteredWorker implements OnListening, OnModuleDestroy {
  private readonly queue = new SerialQueue();

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly outages: OutageStore,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
    verification: WebhookVerification,
  ) {
    verification.onNotSending((since) => this.queue.run(() => this.begin(since)));
    registrations.onChange(() => this.endIfSending());
  }

  /** It may have been repaired before a crash that prevented that the end was stored. */
  onListening(): void {
    this.endIfSending();
  }

  async onModuleDestroy(): Promise<void> {
    await this.queue.idle();
  }

  /** @throws RelayError `storage_failed`, 503: the check is repeated */
  private async begin(since: number): Promise<void> {
    if ((await this.outages.open('unregistered')) !== null) return;
    await this.journal.change({
      statements: await this.outages.add({
        kind: 'unregistered',
        began_at: since,
        ended_at: null,
        usual_seconds: null,
      }),
    });
    void this.outages.publish();
  }

  private endIfSending(): void {
    const current = this.registrations.current();
    if (current?.state !== 'active' || (current.lastKnownActive === false && !current.paused)) return;
    void this.queue
      .run(() => this.end())
      .catch((error: unknown) => this.log.error({ err: error }, 'end of an outage not recorded'));
  }

  private async end(): Promise<void> {
    const open = await this.outages.open('unregistered');
    if (open === null) return;
    await this.outages.end(open, this.clock.now());
    void this.outages.publish();
  }
}
