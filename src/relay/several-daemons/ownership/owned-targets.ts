import type { Log } from '../../ground/log';
import type { Ownership } from '../../ground/daemons';
import { PollLoop } from '../../ground/poll-loop';
import { Signal } from '../../ground/signal';
import { divideTargets } from './divide-targets';
import type { Membership } from '../membership';

interface Held {
  epoch: number;
  /** Whether another daemon is to own it. */
  isEnding: boolean;
}

/**
 * The targets that one application of this daemon delivers to. It takes those that fall to this daemon once their owner has
 * released them or is dead, and gives up those that fall to another one. Whether a target is still its own, the server says
 * with each renewal of the lease.
 */
export class OwnedTargets {
  private readonly held = new Map<number, Held>();
  private readonly changes = new Signal();
  private readonly polls: PollLoop;

  constructor(
    private readonly membership: Membership,
    log: Log,
  ) {
    this.polls = new PollLoop(
      () => this.divide(),
      (error) => log.warn({ err: error }, 'the targets were not divided; it is tried again'),
    );
  }

  /** Takes targets from now on, once no other application of this daemon delivers. */
  start(): void {
    this.polls.start();
  }

  /** Takes no more targets. */
  stop(): Promise<void> {
    return this.polls.stop();
  }

  /** Calls `listener` when something may have changed. */
  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  ownershipOf(target: number): Ownership {
    const held = this.held.get(target);
    if (held === undefined) return 'no';
    return held.isEnding ? 'ending' : 'yes';
  }

  delivers(target: number): boolean {
    return this.ownershipOf(target) === 'yes' && this.membership.isLeaseRunning;
  }

  /** In which this application owns the target; null if it does not. */
  epochOf(target: number): number | null {
    return this.held.get(target)?.epoch ?? null;
  }

  async release(target: number): Promise<void> {
    const { held, membership } = this;
    const { epoch } = held.get(target) ?? {};
    if (epoch === undefined) return;
    await membership.owners.release(membership.member.id, { target, epoch });
    this.lose(target);
    this.changes.emit();
    await membership.notices.send({ kind: 'owners' });
  }

  /** Called after the lease was renewed. */
  followLease(): void {
    for (const [target, { epoch }] of this.held)
      if (this.membership.owned.get(target) !== epoch) this.held.delete(target);
    this.changes.emit();
    this.poll();
  }

  /** Divides the targets again: owners, targets or daemons may have changed. */
  poll(): void {
    this.polls.poll();
  }

  private async divide(): Promise<void> {
    const { membership, held } = this;
    const { member, owners: records } = membership;
    const owners = await records.owners();
    const divided = divideTargets(
      owners.map(({ target }) => target),
      await records.candidates(),
    );
    const falls = (target: number) => divided.get(target) === member.id;
    for (const [target, { epoch }] of held) {
      if (!owners.some((one) => one.target === target)) {
        await records.forget(target);
        this.lose(target);
      } else if (!falls(target)) held.set(target, { epoch, isEnding: true });
    }
    const free = owners.filter(
      ({ target, daemon, isAlive }) =>
        falls(target) && !held.has(target) && (daemon === member.id || !isAlive),
    );
    if (free.length > 0 && !this.polls.isStopped)
      for (const { target, epoch } of await records.take(
        member.id,
        free.map((one) => one.target),
      )) {
        membership.owned.set(target, epoch);
        held.set(target, { epoch, isEnding: false });
      }
    this.changes.emit();
  }

  private lose(target: number): void {
    this.held.delete(target);
    this.membership.owned.delete(target);
  }
}
