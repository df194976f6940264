import type { AlertSummary } from './alert';
import type { Connection } from './connection';
import type { Delivery } from './delivery';
import type { EventSummary } from './event';
import type { ReplaySummary } from './replay';
import type { Snooze } from './snooze';
import type { Stats } from './stats';
import type { Subscription } from './subscription';

/** Sent by the client when it connects. */
export interface LiveHandshake {
  /** The last `seq` that the client has received; the server sends what followed, or a `gap`. */
  last_seq?: number;
  /** The second half of the dashboard's session, because a browser's WebSocket cannot set headers. */
  session?: string;
  /**
   * The admin token, or an API token with the scope `listen` or `read`: of a client that sends no `authorization` in
   * the handshake.
   */
  token?: string;
}

/** The client missed more events than the socket sends. */
export interface LiveGap {
  /** The last `seq` that the client has received. */
  after_seq: number;
  /** The newest `seq`. */
  last_seq: number;
  /** Path from which to fetch the events after `after_seq`. */
  fetch: string;
}

/** Messages from server to client, at most one of each kind per 100 ms. */
export interface LiveMessages {
  events: (events: EventSummary[]) => void;
  /** Deliveries that changed. `isComplete` is false if more changed than fit in the message; these are the latest. */
  deliveries: (deliveries: Delivery[], isComplete: boolean) => void;
  counters: (counters: Stats) => void;
  connection: (state: { connection: Connection; subscription: Subscription }) => void;
  /** All active alerts, newest first; at most once per second. */
  alerts: (active: { alerts: AlertSummary[] }) => void;
  /** All snoozes that have not ended, whenever they change. */
  snoozes: (active: { snoozes: Snooze[] }) => void;
  /** Targets that were created, changed, paused, resumed, removed, or whose circuit breaker opened or closed. */
  targets: (changed: { target_ids: string[] }) => void;
  /** Replays that changed; at most twice per second. */
  replays: (changed: { replays: ReplaySummary[] }) => void;
  gap: (gap: LiveGap) => void;
}
