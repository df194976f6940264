import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import {
  WebSocketGateway,
  WebSocketServer,
  type OnGatewayConnection,
  type OnGatewayInit,
} from '@nestjs/websockets';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import type { EventSummary } from '../../contract/event';
import { LIVE_NAMESPACE, type LiveHandshake, type LiveMessages } from '../../contract/live';
import { AccessService } from '../access/access.service';
import { ConnectionService } from '../connection/connection.service';
import { Journal, type Committed } from '../database/journal';
import { DeliveriesService } from '../deliveries/deliveries.service';
import { FindEvents } from '../events/find-events';
import { presentEvent } from '../events/present-event';
import type { DeliveryKey } from '../ids';
import { LOG, type Log } from '../log';
import { StatsService } from '../operations/stats.service';
import { RelayError } from '../relay-error';
import { SubscriptionService } from '../subscription/subscription.service';

/** At most one message of a kind in this time. */
const MESSAGE_EVERY_MS = 100;
const COUNTERS_EVERY_MS = 1_000;

/** What one message holds; what is beyond is a gap, and the client fetches it. */
const EVENTS_PER_MESSAGE = 500;
const DELIVERIES_PER_MESSAGE = 200;

/** A socket that lets so many packets pile up is closed: it comes back and says what it saw last. */
const PILE_LIMIT = 200;

interface SocketData {
  sessionId: string | null;
}
type LiveSocket = Socket<DefaultEventsMap, LiveMessages, DefaultEventsMap, SocketData>;

/** Tells the dashboards what changed, after its commit, in arrays. The REST lists stay the truth. */
@Injectable()
@WebSocketGateway({ namespace: LIVE_NAMESPACE })
export class LiveGateway implements OnGatewayInit, OnGatewayConnection {
  @WebSocketServer() private readonly server!: Namespace<
    DefaultEventsMap,
    LiveMessages,
    DefaultEventsMap,
    SocketData
  >;
  private events: EventSummary[] = [];
  private overflowFrom: number | null = null;
  private readonly changed = new Map<string, DeliveryKey>();

  constructor(
    private readonly access: AccessService,
    private readonly finder: FindEvents,
    private readonly deliveries: DeliveriesService,
    private readonly stats: StatsService,
    private readonly connection: ConnectionService,
    private readonly subscription: SubscriptionService,
    private readonly journal: Journal,
    @Inject(LOG) private readonly log: Log,
  ) {}

  afterInit(): void {
    this.server.use((socket, next) => void this.admit(socket, next));
    this.access.onRevoked((sessionId) => {
      for (const socket of this.server.sockets.values()) {
        if (socket.data.sessionId === sessionId) socket.disconnect(true);
      }
    });
    this.journal.onCommit((committed) => this.gather(committed));
    const tellState = () => {
      this.server.emit('connection', this.state());
    };
    this.connection.onChange(tellState);
    this.subscription.onChange(tellState);
  }

  async handleConnection(socket: LiveSocket): Promise<void> {
    try {
      socket.emit('connection', this.state());
      socket.emit('counters', await this.stats.current());
      const { last_seq: lastSeq } = socket.handshake.auth as LiveHandshake;
      if (Number.isSafeInteger(lastSeq)) await this.catchUp(socket, lastSeq!);
    } catch (error) {
      this.log.error({ err: error }, 'live socket');
      socket.disconnect(true);
    }
  }

  @Interval(MESSAGE_EVERY_MS)
  async tell(): Promise<void> {
    const { events, overflowFrom } = this;
    const keys = [...this.changed.values()].slice(-DELIVERIES_PER_MESSAGE);
    this.events = [];
    this.overflowFrom = null;
    this.changed.clear();
    if (!this.hasListeners()) return;

    this.dropSlow();
    if (events.length > 0) this.server.emit('events', events);
    if (overflowFrom !== null) this.server.emit('gap', gap(overflowFrom, events.at(-1)!.seq));
    if (keys.length === 0) return;
    try {
      this.server.emit('deliveries', await this.deliveries.byKeys(keys));
    } catch (error) {
      this.log.error({ err: error }, 'live deliveries');
    }
  }

  @Interval(COUNTERS_EVERY_MS)
  async tellCounters(): Promise<void> {
    if (this.hasListeners()) this.server.emit('counters', await this.stats.current());
  }

  private async admit(socket: LiveSocket, next: (error?: Error) => void): Promise<void> {
    try {
      const operator = await this.access.admit(socket.handshake.headers, 'socket');
      if (operator instanceof RelayError) {
        next(Object.assign(new Error(operator.message), { data: { code: operator.code } }));
        return;
      }
      socket.data.sessionId = operator.sessionId;
      next();
    } catch (error) {
      this.log.error({ err: error }, 'live socket');
      next(new Error('The login could not be checked.'));
    }
  }

  private async catchUp(socket: LiveSocket, lastSeq: number): Promise<void> {
    const missed = await this.finder.after(lastSeq, EVENTS_PER_MESSAGE + 1);
    if (missed.length > EVENTS_PER_MESSAGE) socket.emit('gap', gap(lastSeq, missed.at(-1)!.seq));
    else if (missed.length > 0) socket.emit('events', missed);
  }

  private gather({ events, scheduled, settled }: Committed): void {
    if (!this.hasListeners()) return;
    for (const { seq, draft, targets } of events) {
      const status = targets.length === 0 ? 'unmatched' : 'pending';
      const parts = { ...draft, seq, sizeBytes: draft.body.byteLength, duplicates: 0, status } as const;
      this.events.push(presentEvent(parts, this.journal.hub));
    }
    const beyond = this.events.length - EVENTS_PER_MESSAGE;
    if (beyond > 0) {
      const [first] = this.events.splice(0, beyond);
      this.overflowFrom ??= first!.seq - 1;
    }
    for (const key of [...scheduled, ...settled.map((result) => result.key)]) {
      this.changed.set(`${key.seq}.${key.target}.${key.n}`, { seq: key.seq, target: key.target, n: key.n });
    }
  }

  private state() {
    return { connection: this.connection.state(), subscription: this.subscription.state() };
  }

  private hasListeners(): boolean {
    return this.server.sockets.size > 0;
  }

  private dropSlow(): void {
    for (const socket of this.server.sockets.values()) {
      const { writeBuffer } = socket.conn as unknown as { writeBuffer: unknown[] };
      if (writeBuffer.length > PILE_LIMIT) socket.disconnect(true);
    }
  }
}

function gap(afterSeq: number, lastSeq: number) {
  return { after_seq: afterSeq, last_seq: lastSeq, fetch: '/api/v1/events' };
}
