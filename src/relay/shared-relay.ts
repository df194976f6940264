import type { Server } from 'node:http';
import { LoginLinksService } from './access/login-links.service';
import { PROOF_PATH } from './access/daemon-proof';
import { OpenApi } from './api/openapi';
import { ProofController } from './api/proof.controller';
import {
  makeLoginLink,
  openApplication,
  type Application,
  type ApplicationParts,
  type Relay,
} from './application';
import { RenewalWorker } from './connection/renewal.worker';
import { CONNECTIONS, IDLE_IN_TRANSACTION_MS, openPool } from './database/postgres/connect';
import { Membership } from './database/postgres/daemons/membership';
import { SharedDaemons } from './database/postgres/daemons/shared-daemons';
import { openPostgresStore } from './database/postgres/open-postgres-store';
import type { Committed } from './database/journal';
import type { PostgresJournal } from './database/postgres/postgres-journal';
import { preparePostgres } from './database/postgres/prepare-postgres';
import { orUnavailable } from './database/postgres/unavailable';
import { DispatchWorker } from './deliveries/queue/dispatch.worker';
import { HealthService } from './diagnostics/health.service';
import { newId } from './ground/ids';
import { NonOverlapping } from './ground/non-overlapping';
import { callOnListening } from './ground/on-listening';
import { VERSION } from './ground/version';
import { ConnectionFront } from './http/connection-front';
import { Forwarder } from './http/forwarder';
import { HandOver } from './http/hand-over';
import { checkPassedSocket, listen, listenOptions, saveAddress } from './listening';
import { LiveSocketAdapter } from './live/live-socket-adapter';
import { ReceiverModule } from './receiver.module';
import { RelayModule } from './relay.module';
import { peerHeader } from './secrets/peer-header';

type SharedParts = Omit<ApplicationParts, 'daemons'>;

/** An application of this daemon. */
interface Running {
  /** In which it leads; null if it only receives. */
  epoch: number | null;
  application: Application;
  journal: PostgresJournal;
  daemons: SharedDaemons;
  server: Server;
  /** Ends what it has forwarded to a former leader. */
  endFormer: () => void;
  /** Starts no more attempts and renewals. */
  stopWork: () => Promise<unknown>;
  close: () => Promise<void>;
}

/** A lease must not run out because of a connection that stalls. */
const LEASE_QUERY_TIMEOUT_MS = 3_000;

/** A notice has at most 8,000 bytes. */
const NOTICE_DELIVERIES = 20;

const SOCKET_PATH = '/socket.io/';

/** What every daemon answers itself. */
const LOCAL_PATHS = ['/healthz', '/readyz', PROOF_PATH];
const isLocal = (url: string) => url.startsWith('/hooks/') || LOCAL_PATHS.includes(url.split('?', 1)[0]!);

/** These say where to listen, not where other machines connect to. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];

/**
 * A daemon among others on one database. It runs the whole application while it leads, and otherwise only what receives
 * notifications. When that changes, it starts the other application anew, which reads everything from the database, and gives
 * it the connections. So no feature has to cope with a change of the leader.
 */
export class SharedRelay implements Relay {
  readonly firstStart: boolean;
  private readonly front: ConnectionFront;
  private address = { host: '', port: 0 };
  private forgetAddress: () => void = () => undefined;
  private retiring: Promise<unknown> = Promise.resolve();
  private readonly switching = new NonOverlapping(
    () => this.followMembership(),
    (error) => this.parts.log.error({ err: error }, 'the daemon could not change over; it tries again'),
  );

  private constructor(
    private readonly openFor: (epoch: number | null) => Promise<Running>,
    private readonly parts: SharedParts,
    private readonly membership: Membership,
    private current: Running,
    isNew: boolean,
  ) {
    this.firstStart = isNew && current.epoch !== null;
    this.front = new ConnectionFront(current.server);
  }

  /** @throws StartupError if the server cannot be reached or used */
  static async start(url: string, parts: SharedParts, listenFd: number | null): Promise<SharedRelay> {
    const { clock, random, log } = parts;
    const { applied, isNew } = await preparePostgres(url);
    if (applied.length > 0) log.info({ migrations: applied }, 'the database was upgraded');
    const pool = openPool(url, CONNECTIONS.lease, {
      queryTimeoutMs: LEASE_QUERY_TIMEOUT_MS,
      idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
    });
    const member = { id: newId('dmn', clock.now(), random), version: VERSION };
    const membership = new Membership(url, pool, member, log);
    const openFor = (epoch: number | null) => openRunning(url, parts, membership, epoch);
    try {
      await orUnavailable(url, () => membership.join());
      const relay = new SharedRelay(openFor, parts, membership, await openFor(membership.epoch), isNew);
      await relay.begin(listenFd);
      return relay;
    } catch (error) {
      await membership.leave();
      throw error;
    }
  }

  get url(): string {
    return this.parts.publicAddress.url;
  }

  makeLoginLink(): Promise<string> {
    return makeLoginLink(this.current.application.app.get(LoginLinksService));
  }

  async stop(): Promise<void> {
    await this.switching.stop();
    this.forgetAddress();
    const { current, front } = this;
    // Together: the other daemons wait for both.
    await Promise.all([current.stopWork(), new HandOver(current.server, front.server).run()]);
    await current.close();
    await this.retiring;
    await this.membership.leave();
  }

  private async begin(listenFd: number | null): Promise<void> {
    const { settings, publicAddress, log } = this.parts;
    try {
      const { port, address } = await listen(
        () => this.front.listen(listenOptions(settings, listenFd)),
        settings,
      );
      if (listenFd !== null) checkPassedSocket(address, settings);
      publicAddress.listeningOn(port);
      this.address = { host: address, port };
      const host = ALL_ADDRESSES.includes(address) ? null : address.includes(':') ? `[${address}]` : address;
      await this.membership.listeningOn(host, port);
    } catch (error) {
      this.front.server.close();
      await this.current.close();
      throw error;
    }
    this.use(this.current);
    const { notices } = this.membership;
    notices.onNotice((notice) => {
      this.current.daemons.receive(notice);
      if (notice.kind === 'events') this.current.journal.look();
      if (notice.kind === 'scheduled') this.current.journal.receiveScheduled(notice.deliveries);
    });
    notices.onReconnect(() => {
      this.current.daemons.lookAtAll();
      this.current.journal.look();
    });
    this.membership.onBeat(() => {
      this.current.endFormer();
      void this.switching.run();
    });
    void this.switching.run();
    log.info(
      {
        url: publicAddress.url,
        port: this.address.port,
        data_dir: settings.dataDir,
        version: VERSION,
        node: process.versions.node,
        daemon: this.membership.member.id,
        leads: this.current.epoch !== null,
      },
      'listening',
    );
  }

  /** Runs the application that leads, or the one that receives, as the database says. */
  private async followMembership(): Promise<void> {
    while (this.membership.epoch !== this.current.epoch && !this.switching.isStopped) {
      const previous = this.current;
      this.use(await this.openFor(this.membership.epoch));
      this.retiring = Promise.all([this.retiring, this.retire(previous)]);
    }
  }

  /** Ends an application whose place another one has taken; what it could not write is not lost, but due again. */
  private async retire(previous: Running): Promise<void> {
    try {
      await Promise.all([previous.stopWork(), new HandOver(previous.server, null).run()]);
      await previous.close();
    } catch (error) {
      this.parts.log.error(
        { err: error, epoch: previous.epoch },
        'the former application did not end cleanly',
      );
    }
  }

  private use(running: Running): void {
    const { settings, log } = this.parts;
    const { epoch, application, journal } = running;
    this.current = running;
    this.front.use(running.server);
    if (epoch !== null) callOnListening(application.app);
    journal.follow();
    const { secret } = application.app.get(ProofController);
    this.forgetAddress = saveAddress(settings.dataDir, this.address.host, this.address.port, secret);
    log.info({ epoch }, epoch === null ? 'receiving for the leader' : 'leading');
  }
}

/** @param epoch in which to lead; null to receive only */
async function openRunning(
  url: string,
  parts: SharedParts,
  membership: Membership,
  epoch: number | null,
): Promise<Running> {
  const forwarder = new Forwarder({
    leader: () => membership.leaderAddress,
    peerHeader: (address) => peerHeader(parts.sealer, address),
  });
  const daemons = new SharedDaemons({
    membership,
    epoch,
    forward: (request, response) => forwarder.forward(request, response),
  });
  const { notices } = membership;
  const shared = {
    epoch,
    onNotLeader: () => membership.check(),
    announceScheduled: (deliveries: Committed['scheduled']) => {
      for (let i = 0; i < deliveries.length; i += NOTICE_DELIVERIES) {
        const some = deliveries.slice(i, i + NOTICE_DELIVERIES);
        // Otherwise the leader sends them all the same, but does not count them as queued.
        notices.send({ kind: 'scheduled', deliveries: some }).catch(() => undefined);
      }
    },
  };
  const { app, store, close } = await openApplication(
    (ground) => (epoch === null ? ReceiverModule.with(ground) : RelayModule.with(ground)),
    (tools) => openPostgresStore(url, tools, shared),
    { ...parts, daemons },
  );
  const closeAll = async () => {
    forwarder.close();
    await close();
    await daemons.close();
  };
  try {
    if (epoch !== null) {
      app.useWebSocketAdapter(new LiveSocketAdapter(app));
      app.get(OpenApi).useApplication(app);
    }
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const server = app.getHttpServer();
    if (epoch === null) forwarder.attach(server, isLocal, SOCKET_PATH);
    // As if it listened: it gets its connections from the front.
    server.emit('listening');
    const application = { app, store, close };
    const running = {
      epoch,
      application,
      journal: store.journal as PostgresJournal,
      daemons,
      server,
      endFormer: () => forwarder.endFormer(),
      close: closeAll,
    };
    if (epoch === null) return { ...running, stopWork: async () => undefined };
    const dispatcher = app.get(DispatchWorker);
    app.get(HealthService).add({ name: 'dispatcher', check: async () => dispatcher.isRunning });
    return { ...running, stopWork: () => Promise.all([dispatcher.stop(), app.get(RenewalWorker).stop()]) };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
