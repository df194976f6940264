import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import {
  WebSocketGateway,
  WebSocketServer,
  type OnGatewayConnection,
  type OnGatewayInit,
} from '@nestjs/websockets';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { LISTEN_NAMESPACE } from '../../contract/constants';
import {
  listenResult,
  type ListenClientMessages,
  type ListenEnd,
  type ListenServerMessages,
} from '../../contract/listen';
import { AccessService } from '../access/access.service';
import { ListenerLink } from '../deliveries/listeners/listener-link';
import { ListenerLinks } from '../deliveries/listeners/listener-links';
import { ListenerStatesStore } from '../deliveries/listeners/listener-states.store';
import { Backlog } from '../deliveries/queue/backlog';
import { runAsSystem } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { toIso } from '../ground/iso-time';
import { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';
import { ClientAddress } from '../settings/client-address';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { admitListener, type Admitted } from './admit-listener';
import { SocketAdmission } from './socket-admission';

const TICK_MS = 1_000;
const BEAT_EVERY_TICKS = 4;
/** A process sends a beat every four seconds; without two of them, it is frozen or cut off. */
const DEAD_AFTER_MS = 11_000;
/** How long an ephemeral target outlives its connection. */
const EPHEMERAL_MS = 60_000;

type ListenSocket = Socket<ListenClientMessages, ListenServerMessages, DefaultEventsMap, Admitted>;

/** The connection of a process. */
interface Connection extends Admitted {
  socket: ListenSocket;
  link: ListenerLink;
  address: string;
  /** When it sent its last message, by `Clock.monotonic`. */
  heardAt: number;
}

/** Connects the processes of listeners, one for each, and tells them what to send. */
@Injectable()
@WebSocketGateway({ namespace: LISTEN_NAMESPACE })
export class ListenGateway implements OnGatewayInit, OnGatewayConnection {
  @WebSocketServer() private readonly server!: Namespace<
    ListenClientMessages,
    ListenServerMessages,
    DefaultEventsMap,
    Admitted
  >;
  /** By the number of the target. */
  private readonly connections = new Map<number, Connection>();
  /** Ephemeral targets without a connection, and since when, by `Clock.monotonic`. */
  private readonly abandoned = new Map<string, number>();
  private tickCount = 0;

  constructor(
    private readonly access: AccessService,
    private readonly admission: SocketAdmission,
    private readonly clientAddress: ClientAddress,
    private readonly targets: TargetsService,
    private readonly links: ListenerLinks,
    private readonly states: ListenerStatesStore,
    private readonly backlog: Backlog,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  afterInit(): void {
    this.server.use((socket, next) => void this.admit(socket, next));
    this.access.onRevoked((id) =>
      this.endIf(({ operator }) => operator.credentialId === id, 'token_revoked'),
    );
    this.targets.onChange(({ number }) =>
      this.endIf(
        ({ target }) => target.number === number && this.targets.byNumber(number) === null,
        'target_removed',
      ),
    );
  }

  handleConnection(socket: ListenSocket): void {
    const { target, handshake } = socket.data;
    const { number, paused, disabled, name } = target;
    const before = this.connections.get(number);
    const connection: Connection = {
      ...socket.data,
      socket,
      link: new ListenerLink(handshake.capacity, (delivery) => socket.emit('deliver', delivery)),
      address: this.clientAddress.of(socket.request),
      heardAt: this.clock.monotonic(),
    };
    this.connections.set(number, connection);
    this.links.set(number, connection.link);
    if (before !== undefined) {
      if (before.handshake.client_id !== handshake.client_id)
        before.socket.emit('bye', { code: 'taken_over' });
      before.socket.disconnect(true);
    }
    this.handleMessages(connection);
    this.record(connection, null);
    this.log.info({ target: target.id, address: connection.address }, 'listener connected');
    const queued = this.backlog.queued(number);
    socket.emit('ready', { name, queued, paused: paused !== null, disabled: disabled !== null });
  }

  /** Sends beats, and ends the connections that are dead or whose token has expired. */
  @Interval(TICK_MS)
  tick(): void {
    this.tickCount += 1;
    if (this.tickCount % BEAT_EVERY_TICKS === 0) this.server.emit('beat');
    const now = this.clock.monotonic();
    for (const connection of this.connections.values()) {
      if (now - connection.heardAt > DEAD_AFTER_MS) this.terminate(connection);
    }
    this.endIf(({ operator: { expiresAt } }) => (expiresAt ?? Infinity) <= this.clock.now(), 'token_expired');
    this.removeAbandoned(now);
  }

  private async admit(socket: ListenSocket, next: (error?: Error) => void): Promise<void> {
    try {
      const { auth } = socket.handshake;
      const operator = await this.admission.logIn(socket.request, auth, ['receive']);
      const admitted =
        operator instanceof RelayError
          ? operator
          : admitListener(auth, operator, {
              targets: this.targets.all(),
              connectedTo: (target) => this.describeConnected(target),
              count: this.connections.size,
            });
      if (admitted instanceof RelayError)
        return next(Object.assign(new Error(admitted.message), { data: { code: admitted.code } }));
      socket.data = admitted;
      next();
    } catch (error) {
      this.log.error({ err: error }, 'login of a listener not checked');
      next(new Error('The login could not be checked.'));
    }
  }

  private describeConnected(target: number) {
    const connection = this.connections.get(target);
    if (connection === undefined) return undefined;
    const { handshake, operator, address } = connection;
    const since = toIso(this.states.of(target)?.connectedAt ?? this.clock.now());
    const token = operator.name === null ? '' : ` with the token "${operator.name}"`;
    return {
      clientId: handshake.client_id,
      sentence: `another process has been connected from ${address}${token} since ${since}`,
    };
  }

  private handleMessages(connection: Connection): void {
    const { socket, link, target } = connection;
    socket.onAny(() => (connection.heardAt = this.clock.monotonic()));
    socket.on('accepting', (accepting: unknown) => {
      if (this.connections.get(target.number) === connection)
        this.links.setAccepting(target.number, link, accepting === true);
    });
    socket.on('result', (given: unknown, confirm: unknown) => {
      const result = listenResult.safeParse(given);
      if (!result.success || typeof confirm !== 'function') this.terminate(connection);
      else link.settle(result.data, () => confirm());
    });
    socket.on('disconnect', (reason) => {
      this.remove(connection);
      const isLast = reason === 'client namespace disconnect' && !this.connections.has(target.number);
      if (isLast && target.listener?.ephemeral === true) this.removeTarget(target);
    });
  }

  private endIf(isEnded: (connection: Connection) => boolean, code: ListenEnd): void {
    for (const connection of this.connections.values()) {
      if (!isEnded(connection)) continue;
      this.remove(connection);
      connection.socket.emit('bye', { code });
      connection.socket.disconnect(true);
    }
  }

  /** Does not wait until what was sent before has arrived. */
  private terminate(connection: Connection): void {
    this.remove(connection);
    const { websocket } = connection.socket.request as { websocket?: { terminate(): void } };
    websocket?.terminate();
  }

  private remove(connection: Connection): void {
    const { number, id } = connection.target;
    if (this.connections.get(number) !== connection) return;
    this.connections.delete(number);
    this.links.set(number, null);
    if (this.targets.byNumber(number) !== null) this.record(connection, this.clock.now());
    this.log.info({ target: id }, 'listener disconnected');
  }

  private record({ target, handshake, operator, address }: Connection, lostAt: number | null): void {
    const { version, forward_to: forwardTo } = handshake;
    const connectedAt = lostAt === null ? this.clock.now() : this.states.of(target.number)!.connectedAt;
    const token = operator.name;
    this.states.record(target.number, { connectedAt, lostAt, address, version, forwardTo, token });
  }

  private removeAbandoned(now: number): void {
    for (const target of this.targets.all().filter(({ listener }) => listener?.ephemeral === true)) {
      if (this.connections.has(target.number)) this.abandoned.delete(target.id);
      else if (!this.abandoned.has(target.id)) this.abandoned.set(target.id, now);
      else if (now - this.abandoned.get(target.id)! >= EPHEMERAL_MS) this.removeTarget(target);
    }
  }

  private removeTarget(subject: TargetRecord): void {
    this.abandoned.delete(subject.id);
    runAsSystem({ action: 'target.remove', subject }, () => this.targets.remove(subject.id)).catch(
      (error: unknown) => this.log.error({ err: error, target: subject.id }, 'ephemeral target not removed'),
    );
  }
}
