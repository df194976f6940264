import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { PROOF_PATH } from '../access/daemon-proof';
import { LoginLinksService } from '../access/login-links.service';
import { ProofController } from '../api/controllers/proof.controller';
import { OpenApi } from '../api/openapi/openapi';
import { makeLoginLink, openApplication, type Application } from '../application';
import { RenewalWorker } from '../connection/renewal.worker';
import type { Notice } from '../database/postgres/notices';
import { openPostgresStore } from '../database/postgres/open-postgres-store';
import { orNotReadable } from '../database/postgres/postgres-errors';
import type { PostgresJournal } from '../database/postgres/postgres-journal';
import { DispatchWorker } from '../deliveries/queue/dispatch.worker';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import { HealthService } from '../diagnostics/health.service';
import { callOnListening } from '../ground/on-listening';
import type { ApplicationParts } from '../ground.module';
import { LiveSocketAdapter } from '../live/live-socket-adapter';
import { RelayModule } from '../relay.module';
import { ForwardedPeers } from '../secrets/forwarded-peers';
import { TargetsService } from '../targets/targets.service';
import { Forwarder } from './forwarder';
import { HandOver } from './hand-over';
import type { Membership } from './membership';
import { OwnedQueues, followOtherOwners } from './ownership/owned-queues';
import { OwnedTargets } from './ownership/owned-targets';
import { ReceiverModule } from './receiver.module';
import { SharedLeaderLink } from './shared-leader-link';

export type SharedParts = Omit<ApplicationParts, 'leadership' | 'leaderLink' | 'daemons' | 'ownership'>;

const SOCKET_PATH = '/socket.io/';

/** What every daemon answers itself. */
const LOCAL_PATHS = ['/healthz', '/readyz', PROOF_PATH];
const isLocal = (url: string) => url.startsWith('/hooks/') || LOCAL_PATHS.includes(url.split('?', 1)[0]!);

interface InstanceParts {
  membership: Membership;
  /** In which it leads; null if it only receives. */
  epoch: number | null;
  application: Application;
  owned: OwnedTargets;
  queues: OwnedQueues;
  leaderLink: SharedLeaderLink;
  forwarder: Forwarder;
  hasRefusedToWrite: () => boolean;
  close: () => Promise<void>;
}

/** An application of this daemon: the whole one, or the one that receives notifications and delivers. */
export class ApplicationInstance {
  readonly epoch: number | null;
  readonly server: Server;
  private readonly journal: PostgresJournal;
  private readonly dispatcher: DispatchWorker;
  private stoppingDeliveries: Promise<void> | null = null;
  private ending: Promise<void> | null = null;

  private constructor(private readonly parts: InstanceParts) {
    const { app, store } = parts.application;
    this.epoch = parts.epoch;
    this.server = app.getHttpServer();
    this.journal = store.journal as PostgresJournal;
    this.dispatcher = app.get(DispatchWorker);
  }

  /** @param epoch in which to lead; null to receive only */
  static async open(
    url: string,
    parts: SharedParts,
    membership: Membership,
    epoch: number | null,
  ): Promise<ApplicationInstance> {
    const { notices, generations, records } = membership;
    const { log, sealer } = parts;
    const leads = epoch !== null;
    const forwarder = new Forwarder({
      leader: () => (membership.epoch === null ? membership.leaderAddress : null),
      proofPath: PROOF_PATH,
      sealer,
    });
    const owned = new OwnedTargets(membership, log);
    const leaderLink = new SharedLeaderLink({
      membership,
      leads,
      forward: (request, response) => forwarder.forward(request, response),
    });
    let hasRefusedToWrite = false;
    const writing = {
      daemon: membership.member.id,
      epoch,
      epochOf: (target: number) => owned.epochOf(target),
      onNotLeader: () => membership.check(),
      onOutdated: () => {
        hasRefusedToWrite = true;
        membership.check();
      },
      generations,
      announce: (writer: string) => {
        // Otherwise the others find it with their next poll.
        notices.send({ kind: 'commits', writer }).catch(() => undefined);
      },
    };
    let application: Application | null = null;
    const close = async () => {
      forwarder.close();
      await application?.close();
      await leaderLink.close();
    };
    try {
      application = await openApplication(
        (ground) => (leads ? RelayModule.with(ground) : ReceiverModule.with(ground)),
        (tools) => openPostgresStore(url, tools, writing),
        {
          ...parts,
          leadership: { leads, isShared: true, holdsLease: () => leads && membership.holdsLease(epoch) },
          leaderLink,
          ownership: owned,
          daemons: {
            id: membership.member.id,
            get ownAddress() {
              return leads && membership.epoch === epoch ? membership.leaderAddress : null;
            },
            get endpoints() {
              return membership.endpoints;
            },
            list: () => orNotReadable(() => records.list()),
          },
        },
      );
      const { app, store } = application;
      if (leads) {
        app.useWebSocketAdapter(new LiveSocketAdapter(app));
        app.get(OpenApi).useApplication(app);
      }
      await app.init();
      await app.getHttpAdapter().getInstance().ready();
      const server = app.getHttpServer();
      if (!leads) forwarder.attach(server, isLocal, SOCKET_PATH);
      // As if it listened: it gets its connections from the front.
      server.emit('listening');
      if (leads) app.get(ForwardedPeers).attach(server);
      const dispatcher = app.get(DispatchWorker);
      app.get(HealthService).add({ name: 'dispatcher', check: async () => dispatcher.isRunning });
      const ofQueues = {
        owned,
        dispatcher,
        targets: app.get(TargetsService),
        breakers: app.get(BreakerStore),
        log,
      };
      const queues = new OwnedQueues(ofQueues);
      if (leads) followOtherOwners(ofQueues, store.journal, leaderLink);
      return new ApplicationInstance({
        membership,
        epoch,
        application,
        owned,
        queues,
        leaderLink,
        forwarder,
        hasRefusedToWrite: () => hasRefusedToWrite,
        close,
      });
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Whether it is what the daemon has to run; otherwise it is replaced by one that reads everything from the database. */
  get isUpToDate(): boolean {
    const { membership, hasRefusedToWrite } = this.parts;
    return (
      this.epoch === membership.epoch &&
      !hasRefusedToWrite() &&
      this.journal.generation === membership.generations.current
    );
  }

  /** Starts its work, once it gets the connections. */
  start(): void {
    if (this.epoch === null) this.dispatcher.onListening();
    else callOnListening(this.parts.application.app);
    this.journal.start();
  }

  /** Takes targets and delivers to them. Only one application of this daemon may, as only it knows its attempts in flight. */
  startDelivering(): void {
    this.parts.owned.start();
  }

  /** What this daemon proves with that it listens at its address. */
  get secret(): string {
    return this.parts.application.app.get(ProofController).secret;
  }

  makeLoginLink(): Promise<string> {
    return makeLoginLink(this.parts.application.app.get(LoginLinksService));
  }

  /** What another daemon, or this one, has announced. */
  receive(notice: Notice): void {
    const { owned, leaderLink } = this.parts;
    leaderLink.receive(notice);
    this.journal.receive(notice);
    if (notice.kind === 'owners' || (notice.kind === 'changed' && notice.table === 'targets')) owned.poll();
  }

  /** Reads everything again: notices may have been lost. */
  readAgain(): void {
    this.journal.pollAll();
    this.parts.owned.poll();
    this.dispatcher.readAgain();
  }

  /** @param owned by target, the epoch in which this daemon owns it */
  onLeaseRenewed(owned: ReadonlyMap<number, number>): void {
    this.parts.owned.onLeaseRenewed(owned);
    this.parts.forwarder.endOutdated();
    this.parts.leaderLink.readMessages();
  }

  /** Starts no more attempts, and releases each target once the results of those in flight are on disk. */
  stopDelivering(): Promise<void> {
    return (this.stoppingDeliveries ??= this.parts.queues.stop());
  }

  /**
   * Finishes what it has begun, and closes. What it cannot write is not lost, but due again.
   * @param listener what accepts its connections; null if another application gets them from now on
   */
  end(listener: NetServer | null): Promise<void> {
    return (this.ending ??= this.endInOrder(listener));
  }

  /** Without finishing anything. */
  close(): Promise<void> {
    return this.parts.close();
  }

  private async endInOrder(listener: NetServer | null): Promise<void> {
    const { app } = this.parts.application;
    // Together: the other daemons wait for all of it.
    await Promise.all([
      this.stopDelivering(),
      this.epoch === null ? null : app.get(RenewalWorker).stop(),
      new HandOver(this.server, listener).run(),
    ]);
    await this.close();
  }
}
