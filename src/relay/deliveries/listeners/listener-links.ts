import { Injectable } from '@nestjs/common';
import { Signal } from '../../ground/signal';
import type { TargetRecord } from '../../targets/target-record';
import type { ListenerLink } from './listener-link';

/** The connections of the processes that make the attempts for listeners, by the number of the target. */
@Injectable()
export class ListenerLinks {
  private readonly links = new Map<number, ListenerLink>();
  private readonly changes = new Signal<[target: number]>();

  of(target: number): ListenerLink | null {
    return this.links.get(target) ?? null;
  }

  /** How many attempts its process makes at a time. */
  capacityOf(target: number): number {
    return this.of(target)?.capacity ?? Infinity;
  }

  /** Whether nothing can be sent to a target, because no process takes its events. */
  isOffline({ number, listener }: Pick<TargetRecord, 'number' | 'listener'>): boolean {
    return listener !== null && this.of(number)?.isAccepting !== true;
  }

  /** Replaces the connection for a target; null: there is none. */
  set(target: number, link: ListenerLink | null): void {
    this.of(target)?.close();
    if (link === null) this.links.delete(target);
    else this.links.set(target, link);
    this.changes.emit(target);
  }

  setAccepting(target: number, link: ListenerLink, isAccepting: boolean): void {
    link.isAccepting = isAccepting;
    this.changes.emit(target);
  }

  /** Calls `listener` when a process has connected or disconnected, or begins or ceases to take work. */
  onChange(listener: (target: number) => void): void {
    this.changes.subscribe(listener);
  }
}
