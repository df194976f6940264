import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { PROOF_PATH } from '../access/daemon-proof';
import { LoginLinksService } from '../access/login-links.service';
import { ProofController } from '../api/controllers/proof.controller';
import { OpenApi } from '../api/openapi/openapi';
import { makeLoginLink, openApplication, type Application } from '../application';
import { RenewalWorker } from '../connection/renewal.worker';
import type { Notice } from '../database/postgres/notices';
import { openPostgresStore } from '../database/postgres/open-postgres';
import { orNotReadable } from '../database/postgres/postgres-errors';
import type { PostgresJournal } from '../database/postgres/postgres-journal';
import type { SharedWriting } from '../database/postgres/writer/shared-writing';
import { DispatchWorker } from '../deliveries/queue/dispatch.worker';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import { HealthService } from '../diagnostics/health.service';
import { HeldReads } from '../events/following/held-reads.service';
import { callOnListening } from '../ground/on-listening';
import type { ApplicationParts } from '../ground.module';
import { LiveSocketAdapter } from '../live/live-socket-adapter';
import { RelayModule } from '../relay.module';
import { ForwardedPeers } from '../secrets/forwarded-peers';
import { TargetsService } from '../targets/targets.service';
import { Forwarder } from './forwarder';
import { HandOver } from './hand-over';
import type { Membership } from './membership';
import { OwnedQueues } from './ownership/owned-queues';
import { OwnedTargets } from './ownership/owned-targets';
import { FollowerModule } from './follower.module';
import { SharedLeaderLink } from './shared-leader-link';

export type SharedParts = Omit<ApplicationParts, 'leadership' | 'leaderLink' | 'daemons' | 'ownership'>;

const SOCKET_PATH = '/socket.io/';

const LOCAL_PATHS = ['/healthz', '/readyz', PROOF_PATH];
/** Notifications, health checks and the proof of leadership: what every daemon answers itself. */
const isLocal = (url: string) => url.startsWith('/hooks/') || LOCAL_PATHS.includes(url.split('?', 1)[0]!);

/** What this daemon runs: the whole application, or the one that only receives notifications and delivers. */
export class ApplicationInstance {
  private readonly forwarder: Forwarder;
  private readonly owned: OwnedTargets;
  private readonly leaderLink: SharedLeaderLink;
  private application: Application | null = null;
  private queues: OwnedQueues | null = null;
  private isOutdated = false;
  private deliveriesEnd: Promise<void> | null = null;
  private ending: Promise<void> | null = null;

  private constructor(
    private readonly membership: Membership,
    /** The epoch in which it leads; null if it only receives and delivers. */
    readonly epoch: number | null,
    private readonly parts: SharedParts,
  ) {
    const leader = () => (membership.epoch === null ? membership.leaderAddress : null);
    this.forwarder = new Forwarder({ leader, proofPath: PROOF_PATH, sealer: parts.sealer });
    this.owned = new OwnedTargets(membership, parts.log);
    this.leaderLink = new SharedLeaderLink(membership, epoch, this.forwarder);
  }

  /** @param epoch in which to lead; null to receive only */
  static async open(
    url: string,
    parts: SharedParts,
    membership: Membership,
    epoch: number | null,
  ): Promise<ApplicationInstance> {
    const instance = new ApplicationInstance(membership, epoch, parts);
    try {
      await instance.open(url);
      return instance;
    } catch (error) {
      await instance.close();
      throw error;
    }
  }

  private async open(url: string): Promise<void> {
    const { membership, epoch, owned, leaderLink, forwarder } = this;
    const leads = epoch !== null;
    const { app, store } = (this.application = await openApplication(
      (ground) => (leads ? RelayModule.with(ground) : FollowerModule.with(ground)),
      (tools) => openPostgresStore(url, tools, this.writing),
      {
        ...this.parts,
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
          list: () => orNotReadable(() => membership.records.list()),
        },
      },
    ));
    if (leads) {
      app.useWebSocketAdapter(new LiveSocketAdapter(app));
      app.get(OpenApi).useApplication(app);
    }
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    if (!leads) forwarder.attach(this.server, isLocal, SOCKET_PATH);
    // It does not listen itself: `ConnectionFront` passes connections to it.
    this.server.emit('listening');
    if (leads) app.get(ForwardedPeers).attach(this.server);
    const { dispatcher } = this;
    app.get(HealthService).add({ name: 'dispatcher', check: async () => dispatcher.isRunning });
    this.queues = new OwnedQueues(
      owned,
      dispatcher,
      app.get(TargetsService),
      app.get(BreakerStore),
      this.parts.log,
    );
    if (leads) this.queues.applyReports(store.journal, leaderLink);
  }

  private get writing(): SharedWriting {
    const { membership, owned } = this;
    return {
      daemon: membership.member.id,
      epoch: this.epoch,
      epochOf: (target) => owned.epochOf(target),
      onNotLeader: () => membership.check(),
      onOutdated: () => {
        this.isOutdated = true;
        membership.check();
      },
      generations: membership.generations,
      announce: (writer) => {
        // Otherwise the others find it with their next poll.
        membership.notices.send({ kind: 'commits', writer }).catch(() => undefined);
      },
    };
  }

  private get app() {
    return this.application!.app;
  }

  private get journal(): PostgresJournal {
    return this.application!.store.journal as PostgresJournal;
  }

  private get dispatcher(): DispatchWorker {
    return this.app.get(DispatchWorker);
  }

  get server(): Server {
    return this.app.getHttpServer();
  }

  /** The secret with which this daemon proves that it is the one listening at its address. */
  get secret(): string {
    return this.app.get(ProofController).secret;
  }

  makeLoginLink(): Promise<string> {
    return makeLoginLink(this.app.get(LoginLinksService));
  }

  /** Whether this is still the application to run; if not, one that reads everything from the database replaces it. */
  get isUpToDate(): boolean {
    const { epoch, generations } = this.membership;
    return !this.isOutdated && this.epoch === epoch && this.journal.generation === generations.current;
  }

  /** Starts its work, once connections are passed to it. */
  start(): void {
    if (this.epoch === null) this.dispatcher.onListening();
    else callOnListening(this.app);
    this.journal.start();
  }

  /** Takes targets and delivers to them. Only one application of a daemon may: only it knows its attempts in flight. */
  startDelivering(): void {
    this.owned.start();
  }

  /** What another daemon, or this one, has announced. */
  receive(notice: Notice): void {
    this.leaderLink.receive(notice);
    this.journal.receive(notice);
    if (notice.kind === 'owners' || (notice.kind === 'changed' && notice.table === 'targets'))
      this.owned.poll();
  }

  /** Reads everything again: notices may have been lost. */
  readAgain(): void {
    this.journal.pollAll();
    this.owned.poll();
    this.dispatcher.readAgain();
  }

  /** @param owned by target, the epoch in which this daemon owns it */
  onLeaseRenewed(owned: ReadonlyMap<number, number>): void {
    this.owned.onLeaseRenewed(owned);
    this.forwarder.endOutdated();
    this.leaderLink.readMessages();
  }

  /** Starts no more attempts, and releases each target once the results of those in flight are on disk. */
  stopDelivering(): Promise<void> {
    return (this.deliveriesEnd ??= this.queues!.stop().catch((error: unknown) => {
      this.parts.log.error({ err: error, epoch: this.epoch }, 'deliveries did not end cleanly');
    }));
  }

  /**
   * Finishes what it has started, and closes. What it cannot write is not lost, but due again.
   * @param listener what accepts its connections; null if another application gets them from now on
   */
  end(listener: NetServer | null): Promise<void> {
    return (this.ending ??= this.finish(listener));
  }

  private async finish(listener: NetServer | null): Promise<void> {
    if (this.epoch !== null) this.app.get(HeldReads).close();
    // Together: the other daemons wait for all of it.
    await Promise.all([
      this.stopDelivering(),
      this.epoch === null ? null : this.app.get(RenewalWorker).stop(),
      new HandOver(this.server, listener).run(),
    ]);
    await this.close();
  }

  /** Closes at once, without finishing anything. */
  async close(): Promise<void> {
    this.forwarder.close();
    await this.application?.close();
    await this.leaderLink.close();
  }
}
