import type { TargetOwnership } from '../../deliveries/target-ownership';
import type { Log } from '../../ground/log';
import { PollLoop } from '../../ground/poll-loop';
import { Signal } from '../../ground/signal';
import { divideTargets } from './divide-targets';
import type { Membership } from '../membership';
import type { TargetOwner } from './target-owner-records';

interface Owned {
  epoch: number;
  /** Whether another daemon is to own it. */
  isLeaving: boolean;
}

/**
 * The targets that one application of this daemon owns; those of the leader include all listeners. It takes what is
 * assigned to this daemon once its owner has released it or its lease has run out. Targets that are assigned to another
 * daemon are leaving, until they are released. Whether a target is still its own, the server says with each renewal of the lease.
 */
export class OwnedTargets extends PollLoop implements TargetOwnership {
  private readonly held = new Map<number, Owned>();
  private readonly changes = new Signal();

  constructor(
    private readonly membership: Membership,
    log: Log,
  ) {
    super((error) => log.warn({ err: error }, 'dividing the targets failed; retrying'));
  }

  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  owns(target: number): boolean {
    return this.held.has(target);
  }

  isLeaving(target: number): boolean {
    return this.held.get(target)?.isLeaving === true;
  }

  delivers(target: number): boolean {
    return this.owns(target) && !this.isLeaving(target) && this.membership.isLeaseRunning;
  }

  /** The epoch in which this application owns the target; null if it does not. */
  epochOf(target: number): number | null {
    return this.held.get(target)?.epoch ?? null;
  }

  async release(target: number): Promise<void> {
    const { held, membership } = this;
    const { epoch } = held.get(target) ?? {};
    if (epoch === undefined) return;
    await membership.owners.release(membership.member.id, { target, epoch });
    held.delete(target);
    this.changes.emit();
    await membership.notices.send({ kind: 'owners' });
  }

  /** @param owned by target, the epoch in which this daemon owned it right after the lease was renewed */
  onLeaseRenewed(owned: ReadonlyMap<number, number>): void {
    for (const [target, { epoch }] of this.held) if (owned.get(target) !== epoch) this.held.delete(target);
    this.changes.emit();
    this.poll();
  }

  /** Divides the targets again, marks those to release, and takes those that are free. */
  protected async read(): Promise<void> {
    const { membership, held } = this;
    const { member, owners: records } = membership;
    const owners = await records.owners();
    const divisible = owners.filter(({ leader }) => leader === null).map(({ target }) => target);
    const divided = divideTargets(divisible, await records.candidates());
    for (const { target, leader } of owners) if (leader !== null) divided.set(target, leader);
    const isAssigned = (target: number) => divided.get(target) === member.id;
    for (const [target, { epoch }] of held)
      if (!owners.some((one) => one.target === target)) {
        await records.forget(target);
        held.delete(target);
      } else if (!isAssigned(target)) held.set(target, { epoch, isLeaving: true });
    const isFree = ({ target, daemon, isAlive }: TargetOwner) =>
      isAssigned(target) && !held.has(target) && (daemon === member.id || !isAlive);
    const free = owners.filter(isFree).map(({ target }) => target);
    if (free.length > 0 && !this.isStopped)
      for (const { target, epoch } of await records.take(member.id, free))
        held.set(target, { epoch, isLeaving: false });
    this.changes.emit();
  }
}
