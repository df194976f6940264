import type { Journal } from '../../database/journal/journal';
import type { DispatchWorker } from '../../deliveries/queue/dispatch.worker';
import type { BreakerStore } from '../../deliveries/sending/breaker.store';
import type { LeaderLink } from '../../ground/leader-link';
import type { Log } from '../../ground/log';
import type { TargetsService } from '../../targets/targets.service';
import type { OwnedTargets } from './owned-targets';

interface OwnedQueuesParts {
  owned: OwnedTargets;
  dispatcher: DispatchWorker;
  targets: TargetsService;
  breakers: BreakerStore;
  log: Log;
}

/**
 * Has the dispatcher deliver to the targets that this application owns, and releases those that another daemon is to own as soon as
 * nothing of them is in memory.
 */
export class OwnedQueues {
  constructor(private readonly parts: OwnedQueuesParts) {
    parts.owned.onChange(() => this.update());
    // A new target may be owned before it is loaded.
    parts.targets.onChange(() => void this.assign());
  }

  /** Delivers no more, and releases each target once the results of its attempts in flight are on disk. */
  async stop(): Promise<void> {
    await this.parts.owned.stop();
    await this.parts.dispatcher.stop((target) => this.giveUp(target));
  }

  private update(): void {
    const { owned, dispatcher, targets } = this.parts;
    if (!dispatcher.isRunning) return;
    for (const target of dispatcher.assigned) if (!owned.owns(target)) dispatcher.abandon(target);
    for (const { number } of targets.all()) if (owned.isEnding(number)) void this.release(number);
    void this.assign();
  }

  private async assign(): Promise<void> {
    const { owned, dispatcher, targets, breakers, log } = this.parts;
    const isNew = (target: number) =>
      owned.owns(target) && !owned.isEnding(target) && !dispatcher.assigned.includes(target);
    const findNew = () =>
      targets
        .all()
        .map(({ number }) => number)
        .filter(isNew);
    if (!dispatcher.isRunning || findNew().length === 0) return;
    try {
      // The former owner may have opened or closed them.
      await breakers.read(isNew);
    } catch (error) {
      // The next renewal of the lease tries again.
      return log.warn({ err: error }, 'breakers of targets not read');
    }
    dispatcher.assign(findNew());
  }

  private async release(target: number): Promise<void> {
    if (await this.parts.dispatcher.release(target)) await this.giveUp(target);
  }

  private async giveUp(target: number): Promise<void> {
    try {
      await this.parts.owned.release(target);
    } catch (error) {
      this.parts.log.warn({ err: error, target }, 'a target was not released yet');
    }
  }
}

/** Has the leader learn what the owners of other targets find out about them. */
export function followOtherOwners(
  { owned, dispatcher, targets, breakers, log }: OwnedQueuesParts,
  journal: Journal,
  leaderLink: LeaderLink,
): void {
  journal.onTableChanged('targets', () => {
    breakers
      .read((target) => !owned.owns(target))
      .catch((error: unknown) => log.warn({ err: error }, 'breakers not read'));
  });
  leaderLink.onMessage((message) => {
    if (message.kind !== 'gone') return;
    const target = targets.all().find(({ id }) => id === message.target);
    // Unless an operator has changed it since.
    if (target?.updatedAt === message.updatedAt) dispatcher.disable(message.target, message.reason);
  });
}
