import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import {
  WebSocketGateway,
  WebSocketServer,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  type OnGatewayInit,
} from '@nestjs/websockets';
import { LIVE_NAMESPACE } from '../../contract/constants';
import type { EventSummary } from '../../contract/event';
import type { LiveHandshake } from '../../contract/live';
import { AccessService } from '../access/access.service';
import { Clock } from '../ground/clock';
import { ConnectionService } from '../connection/connection.service';
import { repairOf } from '../database/journal/repair-of';
import { Journal, type Committed } from '../database/journal/journal';
import { DeliveriesService } from '../deliveries/deliveries.service';
import { ListenerLinks } from '../deliveries/listeners/listener-links';
import { TargetStates } from '../deliveries/target-states';
import { AlertsService } from '../events/alerts.service';
import { FindEventsQuery } from '../events/search/find-events.query';
import { presentEvent } from '../events/present-event';
import { Log } from '../ground/log';
import { StatsService } from '../stats/stats.service';
import { RelayError } from '../ground/relay-error';
import { ReplaysService } from '../replays/replays.service';
import { RouterWorker } from '../router/router.worker';
import { Settings } from '../settings/settings';
import { TargetsService } from '../targets/targets.service';
import { SnoozesService } from '../diagnostics/snoozes/snoozes.service';
import { SubscriptionStatusQuery } from '../diagnostics/subscription-status.query';
import { EventBuffer, withPending, type Batch } from './batch';
import { CatchUp } from './catch-up';
import { ChangedDeliveries } from './changed-deliveries';
import { LiveAudience, type LiveNamespace, type LiveSocket } from './live-audience';
import { NonOverlapping } from '../ground/non-overlapping';
import { SocketAdmission } from './socket-admission';

/** How often messages are sent, and so the minimum interval between messages of one kind. */
const TICK_MS = 100;
/** Counters and changed alerts are sent at every tenth tick. */
const COUNTERS_EVERY_TICKS = 10;
const REPLAYS_EVERY_MS = 500;
/** The replays beyond this are sent with the next message. */
const REPLAYS_PER_MESSAGE = 200;

/** A socket with more buffered packets is closed: it reconnects and sends the last `seq` it received. */
const MAX_BUFFERED_PACKETS = 200;

/** Publishes committed changes to the dashboards, in batches. The REST lists remain authoritative. */
@Injectable()
@WebSocketGateway({ namespace: LIVE_NAMESPACE })
export class LiveGateway implements OnGatewayInit, OnGatewayConnection, OnGatewayDisconnect {
  @WebSocketServer() private readonly server!: LiveNamespace;
  private audience!: LiveAudience;
  private readonly buffer = new EventBuffer();
  private readonly changedDeliveries = new ChangedDeliveries();
  private readonly catchingUp = new Map<LiveSocket, CatchUp>();
  private connectionChanged = false;
  private alertsChanged = false;
  private tickCount = 0;
  private readonly publishing = new NonOverlapping(
    () => this.publishAll(),
    (error) => this.log.error({ err: error }, 'live messages not published'),
  );
  private deliveriesSentAt = 0;
  private readonly changedReplays = new Set<string>();
  private replaysSentAt = 0;
  private readonly changedTargets = new Set<string>();
  private snoozesChanged = false;
  /** The newest event that was sent before the router had evaluated it. */
  private awaited: number | null = null;

  constructor(
    private readonly access: AccessService,
    private readonly admission: SocketAdmission,
    private readonly events: FindEventsQuery,
    private readonly deliveries: DeliveriesService,
    private readonly replays: ReplaysService,
    private readonly stats: StatsService,
    private readonly connection: ConnectionService,
    private readonly subscription: SubscriptionStatusQuery,
    private readonly alerts: AlertsService,
    private readonly targets: TargetsService,
    private readonly targetStates: TargetStates,
    private readonly router: RouterWorker,
    private readonly listeners: ListenerLinks,
    private readonly snoozes: SnoozesService,
    private readonly journal: Journal,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  afterInit(): void {
    this.audience = new LiveAudience(this.server, this.settings.mask);
    this.server.use((socket, next) => void this.admit(socket, next));
    this.access.onRevoked((credentialId) => {
      for (const socket of this.server.sockets.values()) {
        if (socket.data.credentialId === credentialId) socket.disconnect(true);
      }
    });
    this.journal.onCommit((committed) => this.collect(committed));
    const markConnectionChanged = () => (this.connectionChanged = true);
    this.connection.onChange(markConnectionChanged);
    this.subscription.onChange(markConnectionChanged);
    this.alerts.onChange(() => (this.alertsChanged = true));
    this.replays.onChange((id) => this.hasSockets() && this.changedReplays.add(id));
    this.snoozes.onChange(() => (this.snoozesChanged = true));
    this.targets.onChange(({ id }) => this.changedTargets.add(id));
    this.listeners.onChange((number) => {
      const target = this.targets.byNumber(number);
      if (target !== null) this.changedTargets.add(target.id);
    });
    this.targetStates.onTargetState(({ kind, target }) => {
      if (kind === 'opened' || kind === 'recovered') this.changedTargets.add(target.id);
    });
  }

  /** Sends nothing yet: the next `publish` sends the current state and what the socket has missed. */
  handleConnection(socket: LiveSocket): void {
    this.audience.join(socket, 'connected');
    const { last_seq: lastSeq } = socket.handshake.auth as LiveHandshake;
    const isReconnect = Number.isSafeInteger(lastSeq);
    const catchUp = new CatchUp(isReconnect ? lastSeq! : this.buffer.newestSeq, this.events, (error) => {
      this.log.error({ err: error }, 'missed events of a live socket not read');
      socket.disconnect(true);
    });
    this.catchingUp.set(socket, catchUp);
    if (isReconnect) void catchUp.read();
  }

  handleDisconnect(socket: LiveSocket): void {
    this.catchingUp.delete(socket);
  }

  @Interval(TICK_MS)
  publish(): Promise<void> {
    return this.publishing.run();
  }

  private async publishAll(): Promise<void> {
    // Without sockets too: the buffer must know through which event it has published.
    this.publishEvents();
    if (!this.hasSockets()) return;
    this.checkSockets();
    this.publishTargets();
    this.publishSnoozes();
    await this.publishCurrentState();
    await this.publishDeliveries();
    await this.publishReplays();
  }

  private publishEvents(): void {
    const { events, ...others } = this.buffer.take();
    const batch = { ...others, events: events.map((event) => this.withAwaited(event)) };
    this.audience.sendEvents(batch);
    for (const [socket, catchUp] of this.catchingUp) this.publishMissed(socket, catchUp, batch);
  }

  private withAwaited(event: EventSummary): EventSummary {
    const count = this.router.awaiting(event.seq);
    if (count === 0) return event;
    this.awaited = event.seq;
    return withPending(event, count);
  }

  private publishMissed(socket: LiveSocket, catchUp: CatchUp, batch: Batch): void {
    const { isCaughtUp, isAhead, ...missed } = catchUp.take(batch);
    this.audience.sendEventsTo(socket, missed);
    if (isCaughtUp) {
      this.catchingUp.delete(socket);
      this.audience.join(socket, 'caught-up');
    } else if (!isAhead) void catchUp.read();
  }

  /**
   * Sends connection and subscription after a change, counters and changed alerts every second, all to a new socket.
   */
  private async publishCurrentState(): Promise<void> {
    const sockets = [...this.server.sockets.values()];
    const newSockets = sockets.filter(({ data }) => data.hasInitialState === undefined);
    for (const socket of this.connectionChanged ? sockets : newSockets)
      socket.emit('connection', {
        connection: this.connection.state(),
        subscription: this.subscription.read(),
      });
    this.connectionChanged = false;
    this.tickCount += 1;
    const isCountersTick = this.tickCount % COUNTERS_EVERY_TICKS === 0;
    this.publishAlerts(isCountersTick && this.alertsChanged ? sockets : newSockets);
    if (isCountersTick) this.alertsChanged = false;
    const recipients = isCountersTick ? sockets : newSockets;
    for (const socket of newSockets) socket.data.hasInitialState = true;
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
    if (this.awaited !== null && this.router.awaiting(this.awaited) === 0) {
      this.awaited = null;
      this.changedDeliveries.addUnknown();
    }
    // A tick may follow right after a slow read, so the interval alone does not space these messages.
    if (this.changedDeliveries.isEmpty || performance.now() - this.deliveriesSentAt < TICK_MS) return;
    const { keys, isComplete } = this.changedDeliveries.take();
    const deliveries = await this.deliveries.byKeys(keys);
    this.deliveriesSentAt = performance.now();
    this.audience.sendDeliveries(deliveries, isComplete);
  }

  private publishTargets(): void {
    if (this.changedTargets.size === 0) return;
    this.server.emit('targets', { target_ids: [...this.changedTargets] });
    this.changedTargets.clear();
  }

  private publishSnoozes(): void {
    if (this.snoozesChanged) this.server.emit('snoozes', { snoozes: this.snoozes.active() });
    this.snoozesChanged = false;
  }

  private async publishReplays(): Promise<void> {
    if (this.changedReplays.size === 0 || performance.now() - this.replaysSentAt < REPLAYS_EVERY_MS) return;
    const ids = [...this.changedReplays].slice(0, REPLAYS_PER_MESSAGE);
    for (const id of ids) this.changedReplays.delete(id);
    this.replaysSentAt = performance.now();
    this.audience.sendReplays(await this.replays.byIds(ids));
  }

  private async admit(socket: LiveSocket, next: (error?: Error) => void): Promise<void> {
    try {
      const operator = await this.admission.logIn(socket.request, socket.handshake.auth);
      if (operator instanceof RelayError)
        return next(Object.assign(new Error(operator.message), { data: { code: operator.code } }));
      const { credentialId, expiresAt, mask } = operator;
      socket.data = { credentialId, expiresAt, mask };
      next();
    } catch (error) {
      this.log.error({ err: error }, 'login of a live socket not checked');
      next(new Error('The login could not be checked.'));
    }
  }

  private collect({ events, scheduled, results, ended, promoted }: Committed): void {
    const newest = events.at(-1);
    if (newest !== undefined) this.buffer.advanceTo(newest.seq);
    if (!this.hasSockets()) return;
    for (const { seq, draft, planned } of events) {
      const [status, targets] =
        planned.length === 0
          ? (['unmatched', {}] as const)
          : (['pending', { pending: planned.length }] as const);
      const event = {
        ...draft,
        seq,
        repairId: repairOf(draft),
        sizeBytes: draft.body.byteLength,
        duplicates: 0,
        erasedAt: null,
        status,
        targets,
      };
      this.buffer.add(presentEvent(event, this.journal.instanceId));
    }
    for (const { seq, n } of scheduled) if (n === 0) this.buffer.addDelivery(seq);
    for (const key of [...scheduled, ...promoted]) this.changedDeliveries.add(key);
    for (const { key } of [...results, ...ended]) this.changedDeliveries.add(key);
  }

  private hasSockets(): boolean {
    return this.server.sockets.size > 0;
  }

  /** Disconnects slow sockets and those whose login has expired; the others count as use of their login. */
  private checkSockets(): void {
    const now = this.clock.now();
    for (const socket of this.server.sockets.values()) {
      const { writeBuffer } = socket.conn as unknown as { writeBuffer: unknown[] };
      const { expiresAt, credentialId } = socket.data;
      if (writeBuffer.length > MAX_BUFFERED_PACKETS || (expiresAt !== null && expiresAt <= now))
        socket.disconnect(true);
      else if (credentialId !== null) this.access.recordUse(credentialId);
    }
  }
}
