import type { InstanceId } from '../../ground/ids';
import type { Committed, DeliveryResult, Journal } from './journal';
import type { DiskFailures } from './disk-failures';
import type { Group, GroupOutcome } from './group';

/** How long the commit of a group may take. */
export interface CommitLimits {
  /** After which its events should not be stored: what can be given up then is given up, such as a wait for a lock. */
  commitMs: number;
  /** For which its outcome is asked for, if the connection breaks during the commit. */
  doubtMs: number;
}

/** What an engine commits groups with. */
export interface GroupWriter {
  readonly instanceId: InstanceId;
  readonly failures: DiskFailures;
  /** Of the targets before any plan; null: see {@link Group.targetsVersion}. */
  readonly targetsVersion: number | null;
  /** Whether a group has either events or other work, so that no acknowledgement waits for the latter. */
  readonly commitsEventsAlone: boolean;
  /** One group at a time. @param buffer the bytes of its events, given away @param limits of a group with events */
  commit(group: Group, buffer: ArrayBuffer, limits: CommitLimits): Promise<GroupOutcome>;
  /** See {@link Journal.clean}. */
  clean(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What an engine reads the delivery queue with. After it is closed, reads find nothing. */
export interface QueueStore extends Pick<
  Journal,
  'takeDue' | 'findDue' | 'readSuccessor' | 'readEvent' | 'readEditedBody' | 'readGapsBefore' | 'countQueued'
> {
  /** Whether another delivery in the lane waits until this result is on disk. */
  isAwaited(result: DeliveryResult): boolean;
  /** Called after each commit. */
  onCommitted(committed: Committed): void;
  close(): Promise<void>;
}
