import type { Journal } from '../../database/journal/journal';
import type { DispatchWorker } from '../../deliveries/queue/dispatch.worker';
import type { BreakerStore } from '../../deliveries/sending/breaker.store';
import type { LeaderLink } from '../../ground/leader-link';
import type { Log } from '../../ground/log';
import type { TargetsService } from '../../targets/targets.service';
import type { OwnedTargets } from './owned-targets';

/**
 * Makes the dispatcher deliver to the targets that this application owns, and releases those that are assigned to
 * another daemon once none of their deliveries is in memory.
 */
export class OwnedQueues {
  constructor(
    private readonly owned: OwnedTargets,
    private readonly dispatcher: DispatchWorker,
    private readonly targets: TargetsService,
    private readonly breakers: BreakerStore,
    private readonly log: Log,
  ) {
    owned.onChange(() => this.update());
    // A new target may be owned before it is loaded.
    targets.onChange(() => void this.openQueues());
  }

  /** For the leader: applies what other daemons report about the targets that they own. */
  applyReports(journal: Journal, leaderLink: LeaderLink): void {
    journal.onTableChanged('targets', () => {
      this.breakers
        .read((target) => !this.owned.owns(target))
        .catch((error: unknown) => this.log.warn({ err: error }, 'breakers not read'));
    });
    leaderLink.onMessage((message) => {
      if (message.kind === 'transform_failed')
        this.dispatcher.pause({ id: message.target, updatedAt: message.updatedAt }, message.reason);
      if (message.kind !== 'gone') return;
      const target = this.targets.all().find(({ id }) => id === message.target);
      // Unless an operator has changed it since.
      if (target?.updatedAt === message.updatedAt) this.dispatcher.disable(message.target, message.reason);
    });
  }

  /** Delivers no more, and releases each target once the results of its attempts in flight are on disk. */
  async stop(): Promise<void> {
    await this.owned.stop();
    await this.dispatcher.stop((target) => this.release(target));
  }

  private update(): void {
    const { owned, dispatcher } = this;
    if (!dispatcher.isRunning) return;
    const lost = dispatcher.opened.filter((target) => !owned.owns(target));
    for (const target of lost) dispatcher.abandon(target);
    if (lost.length > 0)
      this.log.warn(
        { targets: lost.length },
        'this daemon no longer owns targets: its lease had run out, or they were deleted. Attempts in flight were aborted',
      );
    for (const { number } of this.targets.all()) if (owned.isLeaving(number)) void this.end(number);
    void this.openQueues();
  }

  private async openQueues(): Promise<void> {
    const { owned, dispatcher } = this;
    const isNew = (target: number) =>
      owned.owns(target) && !owned.isLeaving(target) && !dispatcher.opened.includes(target);
    const findNew = () => this.targets.all().flatMap(({ number }) => (isNew(number) ? [number] : []));
    if (!dispatcher.isRunning || findNew().length === 0) return;
    try {
      // The previous owner may have opened or closed their circuit breakers.
      await this.breakers.read(isNew);
      dispatcher.open(findNew());
    } catch (error) {
      // The next renewal of the lease tries again.
      this.log.warn({ err: error }, 'deliveries to newly owned targets have not started; retrying');
    }
  }

  private async end(target: number): Promise<void> {
    if (await this.dispatcher.release(target)) await this.release(target);
  }

  private async release(target: number): Promise<void> {
    try {
      await this.owned.release(target);
    } catch (error) {
      this.log.warn({ err: error, target }, 'a target could not be released');
    }
  }
}
