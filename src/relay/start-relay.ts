import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { LoginLinksService } from './access/login-links.service';
import { ProofController } from './api/controllers/proof.controller';
import { OpenApi } from './api/openapi/openapi';
import { makeLoginLink, openApplication, type Relay, type RelayParts } from './application';
import { systemClock } from './ground/clock';
import { RenewalWorker } from './connection/renewal.worker';
import { diskFullCode } from './database/journal/disk-full';
import { lockDatabase, lockDataDir } from './database/sqlite/locks';
import { openSqliteStore } from './database/sqlite/open-sqlite-store';
import { DispatchWorker } from './deliveries/queue/dispatch.worker';
import { ConnectionLimit } from './http/connection-limit';
import { HandOver } from './several-daemons/hand-over';
import { checkPassedSocket, listen, listenOptions, saveAddress, warnOfPlainHttp } from './http/listening';
import { LiveSocketAdapter } from './live/live-socket-adapter';
import { HostAddresses } from './network/host-addresses';
import { HeldReads } from './events/following/held-reads.service';
import { HealthService } from './diagnostics/health.service';
import { systemRandom } from './ground/random';
import { StartupError } from './ground/relay-error';
import { onlyDaemon } from './only-daemon';
import { RelayModule } from './relay.module';
import { isAccessibleToOthers, makePrivate } from './secrets/private-files';
import { loadSecretKey } from './secrets/secret-files';
import { Sealer } from './secrets/sealer';
import { PublicAddress } from './settings/public-address';
import type { Settings } from './settings/settings';
import { callOnListening } from './ground/on-listening';
import { VERSION } from './ground/version';
import { WaitingRelay } from './waiting-relay';

export type { Relay } from './application';

const ACCESSIBLE_DATA_DIR =
  'DATA_DIR is accessible to other users of this machine: restrict it with chmod 700; the files in it are private';

/**
 * Starts the daemon, from locking `DATA_DIR` and the database to listening. If a disk is full, it answers 503 until
 * it can start; a socket that the service manager passed keeps connections waiting instead.
 * @throws StartupError if the operator has to change something first
 */
export async function startRelay(settings: Settings, parts: RelayParts): Promise<Relay> {
  const { log, listenFd = null } = parts;
  const tryToStart = () => startOnce(settings, parts);
  return tryToStart().catch((error: unknown) => {
    assertUndamaged(error, settings);
    const code = diskFullCode(error);
    if (code === null || listenFd !== null) throw error;
    log.fatal({ code }, 'a disk is full or failing: answering 503 until it can be written, then starting');
    return WaitingRelay.start(settings, tryToStart, (cause) => {
      log.fatal({ err: cause }, 'the daemon could not be started');
      // Otherwise the service manager would take the end for wanted.
      process.exitCode = cause instanceof StartupError ? cause.exitCode : 1;
      process.kill(process.pid, 'SIGTERM');
    });
  });
}

function assertUndamaged(error: unknown, { databaseFile }: Settings): void {
  const { code = '' } = error as { code?: string };
  if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return;
  const what = `${databaseFile} is damaged, or no database (${code}).`;
  const remedy = 'Check the disk for errors, and restore a backup.';
  throw new StartupError({ where: 'DATABASE_URL', what, remedy }, error);
}

async function startOnce(settings: Settings, parts: RelayParts): Promise<Relay> {
  const { log, clock = systemClock, random = systemRandom, hosts = new HostAddresses(clock) } = parts;
  const { listenFd = null } = parts;
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    closers.push(lockDataDir(settings.dataDir));
    if (settings.postgresUrl === null) closers.push(lockDatabase(settings.databaseFile));
    makePrivate(settings);
    if (isAccessibleToOthers(settings.dataDir)) log.warn({ data_dir: settings.dataDir }, ACCESSIBLE_DATA_DIR);
    warnOfPlainHttp(settings, log);
    const sealer = new Sealer(loadSecretKey(settings, random), random);
    const publicAddress = new PublicAddress(settings);
    const connections = ConnectionLimit.with(settings, clock, log);
    const common = { settings, publicAddress, clock, random, log, hosts, sealer, connections };
    if (settings.postgresUrl !== null) {
      // Loaded here, so that a start on SQLite does not run it. With `import`, it would be a file of the bundle that
      // imports from the one that imports it, which the bundler cannot build.
      const {
        SharedRelay,
      }: typeof import('./several-daemons/shared-relay') = require('./several-daemons/shared-relay');
      const relay = await SharedRelay.start(settings.postgresUrl, common, listenFd);
      closers.push(() => relay.stop());
      return {
        url: relay.url,
        firstStart: relay.firstStart,
        makeLoginLink: () => relay.makeLoginLink(),
        stop: close,
      };
    }

    const isNew = !existsSync(settings.databaseFile);
    const ownUrl = () => `http://${settings.host}:${publicAddress.listeningPort}`;
    const application = await openApplication(
      (ground) => RelayModule.with(ground),
      (tools) => openSqliteStore(settings.databaseFile, tools),
      { ...common, ...onlyDaemon(clock, random, ownUrl) },
    );
    closers.push(() => application.close());
    const { app } = application;
    app.useWebSocketAdapter(new LiveSocketAdapter(app));
    app.get(OpenApi).useApplication(app);

    await listen(() => app.listen(listenOptions(settings, listenFd)), settings);
    const server = app.getHttpServer();
    const { port, address } = server.address() as AddressInfo;
    if (listenFd !== null) {
      checkPassedSocket(address, settings);
      const handOver = new HandOver(server);
      closers.push(() => handOver.run());
    }
    publicAddress.listeningPort = port;

    const dispatcher = app.get(DispatchWorker);
    callOnListening(app);
    // Stopped before the application closes, whose timeout is shorter than that of a request to Co-Pilot.
    closers.push(() => Promise.all([dispatcher.stop(), app.get(RenewalWorker).stop()]));
    closers.push(() => app.get(HeldReads).close());
    app.get(HealthService).add({ name: 'dispatcher', check: async () => dispatcher.isRunning });
    closers.push(saveAddress(settings.dataDir, address, port, app.get(ProofController).secret, log));

    log.info(
      {
        url: publicAddress.url,
        port,
        data_dir: settings.dataDir,
        version: VERSION,
        node: process.versions.node,
      },
      'listening',
    );
    return {
      url: publicAddress.url,
      firstStart: isNew,
      makeLoginLink: () => makeLoginLink(app.get(LoginLinksService)),
      stop: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
