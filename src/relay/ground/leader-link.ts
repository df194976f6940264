import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LostReason, Stats } from '../../contract/stats';
import type { CountedDurations } from './duration-histogram';
import type { DeliveryKey } from './ids';
import { Signal } from './signal';

/** What a daemon that does not lead found out, for the leader. */
export type LeaderMessage =
  | { kind: 'in_flight'; daemon: string; keys: readonly DeliveryKey[] }
  | { kind: 'machine_fault'; code: string }
  | { kind: 'gone' | 'transform_failed'; target: string; updatedAt: number; reason: string }
  | { kind: 'notification'; subscriptionId: number; header: string; webhookId: string | null; at: number }
  | { kind: 'received'; responses: Stats['received']; durations: CountedDurations }
  | {
      kind: 'not_stored';
      reason: LostReason;
      cause?: string | undefined;
      count: number;
    };

/** A message, or a function that returns it as it is when it is sent. */
export type LeaderMessageDraft = LeaderMessage | (() => LeaderMessage);

export const completeMessage = (draft: LeaderMessageDraft): LeaderMessage =>
  typeof draft === 'function' ? draft() : draft;

/** Sends messages to the leader. This one is for the leader, and for a daemon without others, which always leads. */
export class LeaderLink {
  protected readonly messages = new Signal<[LeaderMessage]>();

  /** Calls `listener`, at the leader, with each message. */
  onMessage(listener: (message: LeaderMessage) => void): void {
    this.messages.subscribe(listener);
  }

  /** The leader gets it within a second. @param _subject replaces an unsent message about the same subject */
  send(draft: LeaderMessageDraft, _subject?: string): void {
    this.messages.emit(completeMessage(draft));
  }

  /** Lets the leader answer a request that this daemon cannot. @returns false if no other daemon can be asked */
  passRequest(_request: IncomingMessage, _response: ServerResponse): boolean {
    return false;
  }
}
