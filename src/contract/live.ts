import type { AlertSummary } from './alert';
import type { Connection } from './connection';
import type { Delivery } from './delivery';
import type { EventSummary } from './event';
import type { ReplayPlan } from './replay';
import type { Stats } from './stats';
import type { Subscription } from './subscription';

export const LIVE_NAMESPACE = '/live';

/** A client names the last `seq` it has seen and receives what it missed, or a `gap`. */
export interface LiveHandshake {
  last_seq?: number;
  /** The second half of the dashboard's session: a browser's WebSocket has no headers of its own. */
  session?: string;
}

/** More was missed than the socket hands over: fetch the events after `after_seq` from `fetch`. */
export interface LiveGap {
  after_seq: number;
  last_seq: number;
  fetch: string;
}

/** Server to client; at most one message of a kind per 100 ms. */
export interface LiveMessages {
  events: (events: EventSummary[]) => void;
  deliveries: (deliveries: Delivery[]) => void;
  counters: (counters: Stats) => void;
  connection: (state: { connection: Connection; subscription: Subscription }) => void;
  /** All that are active, newest first; once a second at most. */
  alerts: (active: { alerts: AlertSummary[] }) => void;
  /** Those that changed, twice a second at most. */
  replays: (changed: { replays: ReplayPlan[] }) => void;
  gap: (gap: LiveGap) => void;
}
