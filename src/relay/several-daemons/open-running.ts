import type { Server } from 'node:http';
import { PROOF_PATH } from '../access/daemon-proof';
import { OpenApi } from '../api/openapi/openapi';
import { openApplication, type Application } from '../application';
import type { ApplicationParts } from '../ground.module';
import { RenewalWorker } from '../connection/renewal.worker';
import type { Membership } from './membership';
import { OwnedTargets } from './ownership/owned-targets';
import { SharedDaemons } from './shared-daemons';
import { openPostgresStore } from '../database/postgres/open-postgres-store';
import type { PostgresJournal } from '../database/postgres/postgres-journal';
import { DispatchWorker } from '../deliveries/queue/dispatch.worker';
import { HealthService } from '../diagnostics/health.service';
import { Forwarder } from './forwarder';
import { LiveSocketAdapter } from '../live/live-socket-adapter';
import { ReceiverModule } from './receiver.module';
import { RelayModule } from '../relay.module';
import { ForwardedPeers } from '../secrets/forwarded-peers';

export type SharedParts = Omit<ApplicationParts, 'daemons'>;

/** An application of this daemon. */
export interface Running {
  /** In which it leads; null if it only receives. */
  epoch: number | null;
  /** Whether another application must take its place, which reads everything from the database. */
  isOutdated: () => boolean;
  application: Application;
  journal: PostgresJournal;
  daemons: SharedDaemons;
  /** The targets that it delivers to. */
  owned: OwnedTargets;
  dispatcher: DispatchWorker;
  server: Server;
  /** Ends what it has forwarded to a former leader. */
  endFormer: () => void;
  /** Starts no more attempts, and releases each target once the results of those in flight are on disk. */
  stopDelivering: () => Promise<unknown>;
  /** Starts no more renewals. */
  stopRenewing: () => Promise<unknown>;
  close: () => Promise<void>;
}

const SOCKET_PATH = '/socket.io/';

/** What every daemon answers itself. */
const LOCAL_PATHS = ['/healthz', '/readyz', PROOF_PATH];
const isLocal = (url: string) => url.startsWith('/hooks/') || LOCAL_PATHS.includes(url.split('?', 1)[0]!);

/** @param epoch in which to lead; null to receive only */
export async function openRunning(
  url: string,
  parts: SharedParts,
  membership: Membership,
  epoch: number | null,
): Promise<Running> {
  const forwarder = new Forwarder({
    leader: () => (membership.epoch === null ? membership.leading : null),
    proofPath: PROOF_PATH,
    sealer: parts.sealer,
  });
  const owned = new OwnedTargets(membership, parts.log);
  const daemons = new SharedDaemons({
    membership,
    epoch,
    owned,
    forward: (request, response) => forwarder.forward(request, response),
  });
  const { notices, generations } = membership;
  let isOutdated = false;
  const shared = {
    daemon: membership.member.id,
    epoch,
    epochOf: (target: number) => owned.epochOf(target),
    onNotLeader: () => membership.check(),
    onOutdated: () => {
      isOutdated = true;
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
    await daemons.close();
  };
  try {
    application = await openApplication(
      (ground) => (epoch === null ? ReceiverModule.with(ground) : RelayModule.with(ground)),
      (tools) => openPostgresStore(url, tools, shared),
      { ...parts, daemons },
    );
    const { app, store } = application;
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
    if (epoch !== null) app.get(ForwardedPeers).attach(server);
    const dispatcher = app.get(DispatchWorker);
    const journal = store.journal as PostgresJournal;
    app.get(HealthService).add({ name: 'dispatcher', check: async () => dispatcher.isRunning });
    return {
      epoch,
      isOutdated: () => isOutdated || journal.generation !== generations.current,
      application,
      journal,
      daemons,
      owned,
      dispatcher,
      server,
      endFormer: () => forwarder.endFormer(),
      stopDelivering: async () => {
        await owned.stop();
        await dispatcher.stop();
      },
      stopRenewing: async () => (epoch === null ? undefined : app.get(RenewalWorker).stop()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
