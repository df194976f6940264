import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import {
  WebSocketGateway,
  WebSocketServer,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  type OnGatewayInit,
} from '@nestjs/websockets';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { LIVE_NAMESPACE, type LiveHandshake, type LiveMessages } from '../../contract/live';
import { AccessService } from '../access/access.service';
import { SOCKET_SCOPES } from '../access/scopes';
import { Clock } from '../ground/clock';
import { ConnectionService } from '../connection/connection.service';
import { Journal, type Committed } from '../database/journal';
import { DeliveriesService } from '../deliveries/deliveries.service';
import { Alerts } from '../events/alerts';
import { FindEvents } from '../events/search/find-events';
import { presentEvent } from '../events/present-event';
import type { DeliveryKey } from '../ground/ids';
import { Log } from '../ground/log';
import { StatsService } from '../stats/stats.service';
import { RelayError } from '../ground/relay-error';
import { ReplaysService } from '../replays/replays.service';
import { SubscriptionService } from '../subscription/subscription.service';
import { EventBuffer, type Batch } from './batch';
import { CatchUp } from './catch-up';

/** Minimum interval between messages of one kind. */
const MESSAGE_EVERY_MS = 100;
/** Counters are sent with every tenth message. */
const COUNTERS_EVERY = 10;
const DELIVERIES_PER_MESSAGE = 200;
const REPLAYS_EVERY_MS = 500;
/** Further changes are sent with the next message. */
const REPLAYS_PER_MESSAGE = 200;

/** A socket with more buffered packets is closed: it reconnects and sends the last `seq` it received. */
const MAX_BUFFERED_PACKETS = 200;

/** The room of the sockets that have caught up. */
const SUBSCRIBERS = 'followers';

interface SocketData {
  credentialId: string | null;
  /** Set once it has received the current state. */
  greeted?: true;
  /** When its login expires, in ms since 1970; null if it does not. */
  expiresAt: number | null;
}
type LiveSocket = Socket<DefaultEventsMap, LiveMessages, DefaultEventsMap, SocketData>;

/** Publishes committed changes to the dashboards, in batches. The REST lists remain authoritative. */
@Injectable()
@WebSocketGateway({ namespace: LIVE_NAMESPACE })
export class LiveGateway implements OnGatewayInit, OnGatewayConnection, OnGatewayDisconnect {
  @WebSocketServer() private readonly server!: Namespace<
    DefaultEventsMap,
    LiveMessages,
    DefaultEventsMap,
    SocketData
  >;
  private readonly buffer = new EventBuffer();
  private readonly changed = new Map<string, DeliveryKey>();
  private readonly catchingUp = new Map<LiveSocket, CatchUp>();
  private stateChanged = false;
  private alertsChanged = false;
  private ticks = 0;
  private publishing = false;
  private deliveriesSentAt = 0;
  private readonly changedReplays = new Set<string>();
  private replaysSentAt = 0;

  constructor(
    private readonly access: AccessService,
    private readonly finder: FindEvents,
    private readonly deliveries: DeliveriesService,
    private readonly replays: ReplaysService,
    private readonly stats: StatsService,
    private readonly connection: ConnectionService,
    private readonly subscription: SubscriptionService,
    private readonly alerts: Alerts,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  afterInit(): void {
    this.server.use((socket, next) => void this.admit(socket, next));
    this.access.onRevoked((credentialId) => {
      for (const socket of this.server.sockets.values()) {
        if (socket.data.credentialId === credentialId) socket.disconnect(true);
      }
    });
    this.journal.onCommit((committed) => this.collect(committed));
    const noteState = () => {
      this.stateChanged = true;
    };
    this.connection.onChange(noteState);
    this.subscription.onChange(noteState);
    this.alerts.onChange(() => {
      this.alertsChanged = true;
    });
    this.replays.onChange((id) => {
      if (this.hasListeners()) this.changedReplays.add(id);
    });
  }

  /** The socket receives everything with the next message of each kind. */
  handleConnection(socket: LiveSocket): void {
    const { last_seq: lastSeq } = socket.handshake.auth as LiveHandshake;
    const comesBack = Number.isSafeInteger(lastSeq);
    const catchUp = new CatchUp(comesBack ? lastSeq! : this.buffer.newestSeq, this.finder);
    this.catchingUp.set(socket, catchUp);
    if (comesBack) this.readFor(socket, catchUp);
  }

  handleDisconnect(socket: LiveSocket): void {
    this.catchingUp.delete(socket);
  }

  @Interval(MESSAGE_EVERY_MS)
  async publish(): Promise<void> {
    if (this.publishing) return;
    this.publishing = true;
    try {
      this.publishEvents();
      if (!this.hasListeners()) return;
      this.dropSlowAndExpired();
      await this.publishState();
      await this.publishDeliveries();
      await this.publishReplays();
    } catch (error) {
      this.log.error({ err: error }, 'live messages');
    } finally {
      this.publishing = false;
    }
  }

  private publishEvents(): void {
    const batch = this.buffer.take();
    this.emitBatch(this.server.to(SUBSCRIBERS), batch);
    for (const [socket, newcomer] of this.catchingUp) this.publishMissed(socket, newcomer, batch);
  }

  private publishMissed(socket: LiveSocket, catchUp: CatchUp, batch: Batch): void {
    const { isCaughtUp: follows, ...missed } = catchUp.take(batch);
    this.emitBatch(socket, missed);
    if (follows) {
      this.catchingUp.delete(socket);
      void socket.join(SUBSCRIBERS);
    } else this.readFor(socket, catchUp);
  }

  /** The gap comes first, so the client knows that the events do not continue what it has. */
  private emitBatch(to: Pick<LiveSocket, 'emit'>, { gap, events }: Omit<Batch, 'after'>): void {
    if (gap !== null) to.emit('gap', gap);
    if (events.length > 0) to.emit('events', events);
  }

  private readFor(socket: LiveSocket, catchUp: CatchUp): void {
    catchUp.read().catch((error: unknown) => {
      this.log.error({ err: error }, 'live socket');
      socket.disconnect(true);
    });
  }

  /** Publishes state when it has changed, and counters and changed alerts every second; new sockets receive all of it. */
  private async publishState(): Promise<void> {
    const all = [...this.server.sockets.values()];
    const fresh = all.filter(({ data }) => data.greeted === undefined);
    for (const socket of this.stateChanged ? all : fresh) socket.emit('connection', this.state());
    this.stateChanged = false;
    this.ticks += 1;
    const isBeat = this.ticks % COUNTERS_EVERY === 0;
    this.publishAlerts(isBeat && this.alertsChanged ? all : fresh);
    if (isBeat) this.alertsChanged = false;
    const recipients = isBeat ? all : fresh;
    for (const socket of fresh) socket.data.greeted = true;
    if (recipients.length === 0) return;
    const counters = await this.stats.current();
    for (const socket of recipients) socket.emit('counters', counters);
  }

  private publishAlerts(recipients: readonly LiveSocket[]): void {
    if (recipients.length === 0) return;
    const alerts = this.alerts.active();
    for (const socket of recipients) socket.emit('alerts', { alerts });
  }

  private async publishDeliveries(): Promise<void> {
    if (this.changed.size === 0 || performance.now() - this.deliveriesSentAt < MESSAGE_EVERY_MS) return;
    const keys = [...this.changed.values()].slice(-DELIVERIES_PER_MESSAGE);
    this.changed.clear();
    const deliveries = await this.deliveries.byKeys(keys);
    this.deliveriesSentAt = performance.now();
    this.server.emit('deliveries', deliveries);
  }

  private async publishReplays(): Promise<void> {
    if (this.changedReplays.size === 0 || performance.now() - this.replaysSentAt < REPLAYS_EVERY_MS) return;
    const ids = [...this.changedReplays].slice(0, REPLAYS_PER_MESSAGE);
    for (const id of ids) this.changedReplays.delete(id);
    this.replaysSentAt = performance.now();
    this.server.emit('replays', { replays: await this.replays.plans(ids) });
  }

  /** Checks again, with the session's secret: the handshake had none, and the login may have been revoked since. */
  private async admit(socket: LiveSocket, next: (error?: Error) => void): Promise<void> {
    try {
      const { session } = socket.handshake.auth as LiveHandshake;
      const operator = await this.access.admit(socket.request, 'socket', SOCKET_SCOPES, session);
      if (operator instanceof RelayError) {
        next(Object.assign(new Error(operator.message), { data: { code: operator.code } }));
        return;
      }
      socket.data = { credentialId: operator.credentialId, expiresAt: operator.expiresAt };
      next();
    } catch (error) {
      this.log.error({ err: error }, 'live socket');
      next(new Error('The login could not be checked.'));
    }
  }

  private collect({ events, scheduled, settled }: Committed): void {
    const newest = events.at(-1);
    if (newest !== undefined) this.buffer.skip(newest.seq);
    if (!this.hasListeners()) return;
    for (const { seq, draft, targets } of events) {
      const status = targets.length === 0 ? 'unmatched' : 'pending';
      const parts = { ...draft, seq, sizeBytes: draft.body.byteLength, duplicates: 0, status } as const;
      this.buffer.add(presentEvent(parts, this.journal.instanceId));
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

  private dropSlowAndExpired(): void {
    const now = this.clock.now();
    for (const socket of this.server.sockets.values()) {
      const { writeBuffer } = socket.conn as unknown as { writeBuffer: unknown[] };
      const { expiresAt, credentialId } = socket.data;
      if (writeBuffer.length > MAX_BUFFERED_PACKETS || (expiresAt !== null && expiresAt <= now))
        socket.disconnect(true);
      else if (credentialId !== null) this.access.noteUse(credentialId);
    }
  }
}
