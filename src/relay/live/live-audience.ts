import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import type { Delivery } from '../../contract/delivery';
import type { LiveMessages } from '../../contract/live';
import type { ReplaySummary } from '../../contract/replay';
import { maskDelivery } from '../deliveries/mask-delivery';
import { maskEvent } from '../events/mask-event';
import type { PayloadMask } from '../filters/payload-mask';
import { maskReplay } from '../replays/mask-replay';
import type { Batch } from './batch';

interface SocketData {
  /** The session or API token that was used to log in; null for the admin token. */
  credentialId: string | null;
  /** Set once the socket has received the current state. */
  hasInitialState?: true;
  /** When its login expires, in ms since 1970; null if it does not. */
  expiresAt: number | null;
  /** What is masked for it; null: nothing. */
  mask: PayloadMask | null;
}
export type LiveNamespace = Namespace<DefaultEventsMap, LiveMessages, DefaultEventsMap, SocketData>;
export type LiveSocket = Socket<DefaultEventsMap, LiveMessages, DefaultEventsMap, SocketData>;

type Room = 'connected' | 'caught-up';

/** Sends what has values of payloads, to each socket as it may see it. */
export class LiveAudience {
  /** That of some sockets, and none for the others. */
  private readonly masks: readonly (PayloadMask | null)[];

  constructor(
    private readonly server: LiveNamespace,
    mask: PayloadMask | null,
  ) {
    this.masks = mask === null ? [null] : [null, mask];
  }

  /** Adds a socket to those that events, or other changes, are sent to. */
  join(socket: LiveSocket, room: Room): void {
    void socket.join(nameOf(room, socket.data.mask));
  }

  sendEvents(batch: Pick<Batch, 'gap' | 'events'>): void {
    for (const mask of this.masks) emitBatch(this.to('caught-up', mask), batch, mask);
  }

  sendEventsTo(socket: LiveSocket, batch: Pick<Batch, 'gap' | 'events'>): void {
    emitBatch(socket, batch, socket.data.mask);
  }

  sendDeliveries(deliveries: readonly Delivery[], isComplete: boolean): void {
    for (const mask of this.masks) {
      const shown = deliveries.map((delivery) => maskDelivery(delivery, mask));
      this.to('connected', mask).emit('deliveries', shown, isComplete);
    }
  }

  sendReplays(replays: readonly ReplaySummary[]): void {
    for (const mask of this.masks) {
      const shown = replays.map((replay) => maskReplay(replay, mask));
      this.to('connected', mask).emit('replays', { replays: shown });
    }
  }

  private to(room: Room, mask: PayloadMask | null) {
    return this.server.to(nameOf(room, mask));
  }
}

const nameOf = (room: Room, mask: PayloadMask | null) => (mask === null ? room : `${room}, masked`);

/** The gap comes first, so the client knows that the events do not continue what it has. */
function emitBatch(
  to: Pick<LiveSocket, 'emit'>,
  { gap, events }: Pick<Batch, 'gap' | 'events'>,
  mask: PayloadMask | null,
): void {
  if (gap !== null) to.emit('gap', gap);
  const shown = events.map((event) => maskEvent(event, mask));
  if (shown.length > 0) to.emit('events', shown);
}
