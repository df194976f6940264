import { existsSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { LoginLinksService } from './access/login-links.service';
import { ProofController } from './api/proof.controller';
import { addressFile, writeAddress } from './settings/address-file';
import { OpenApi } from './api/openapi';
import { systemClock, type Clock } from './ground/clock';
import { Renewal } from './connection/renewal';
import { runAsSystem } from './ground/audit-context';
import { readClockRecord } from './database/clock-record';
import { lockDatabase, lockDataDir } from './database/locks';
import { openReadingSource } from './database/open-database';
import { Reader } from './database/reader';
import { SqliteJournal } from './database/journal/sqlite-journal';
import { TextIndex } from './database/text-index/text-index';
import { Dispatcher } from './deliveries/queue/dispatcher';
import type { Ground } from './ground.module';
import { createHttpApplication } from './http/http-application';
import { LiveSocketAdapter } from './live/live-socket-adapter';
import type { Log } from './ground/log';
import { ReachabilityProbe } from './diagnostics/reachability/reachability-probe';
import { HostAddresses } from './network/host-addresses';
import { HealthChecks } from './diagnostics/health-checks';
import { Heartbeat } from './outages/heartbeat';
import { SilenceDetector } from './outages/silence-detector';
import { systemRandom, type Random } from './ground/random';
import { StartupError } from './ground/relay-error';
import { ENTITIES, RelayModule } from './relay.module';
import { checkKey } from './secrets/check-key';
import { isAccessibleToOthers, makePrivate } from './secrets/private-files';
import { loadSecretKey } from './secrets/secret-files';
import { Sealer } from './secrets/sealer';
import { PublicAddress } from './settings/public-address';
import type { Settings } from './settings/settings';
import { SubscriptionService } from './subscription/subscription.service';
import { TimeBounds } from './ground/time-bounds';
import { upgradeDatabase } from './database/upgrade-database';
import { VERSION } from './ground/version';

export interface Relay {
  /** Where browsers and Co-Pilot reach it. */
  url: string;
  /** Whether this was the first start on this database. */
  firstStart: boolean;
  makeLoginLink: () => Promise<string>;
  /** Answers what has come in, waits a while for deliveries on their way, and leaves everything on disk. */
  stop: () => Promise<void>;
}

const OPEN_FOLDER =
  'other users of this machine may look into DATA_DIR: close it to them (chmod 700); its files are private';

/** A request that is only half sent could hold the stop up much longer. */
const CLOSE_WITHIN_MS = 5_000;

/**
 * So many new connections wait to be accepted. Beyond it the kernel drops a client's first packet, and it tries again after
 * a second; Node's own 511 are as many as one stranger opens at once.
 */
const LISTEN_BACKLOG = 4_096;

interface RelayParts {
  log: Log;
  clock?: Clock;
  random?: Random;
  hosts?: HostAddresses;
}

/**
 * Starts the daemon: from the locks on `DATA_DIR` and the database to listening.
 * @throws StartupError when the operator has to change something first
 */
export async function startRelay(settings: Settings, parts: RelayParts): Promise<Relay> {
  const { log, clock = systemClock, random = systemRandom, hosts = new HostAddresses(clock) } = parts;
  const opened: (() => unknown)[] = [];
  const close = async () => {
    for (const closing of opened.splice(0).toReversed()) await closing();
  };
  try {
    opened.push(lockDataDir(settings.dataDir));
    opened.push(lockDatabase(settings.databaseFile));
    makePrivate(settings);
    if (isAccessibleToOthers(settings.dataDir)) log.warn({ data_dir: settings.dataDir }, OPEN_FOLDER);
    const firstStart = !existsSync(settings.databaseFile);
    const sealer = new Sealer(loadSecretKey(settings, random), random);
    await upgradeDatabase(settings.databaseFile, log);
    const bounds = new TimeBounds(clock, readClockRecord(settings.databaseFile));
    const journal = await SqliteJournal.open(settings.databaseFile, clock, bounds, log);
    opened.push(() => journal.close());
    const reader = new Reader(settings.databaseFile);
    opened.push(() => reader.close());
    const source = await openReadingSource(settings.databaseFile, ENTITIES);
    opened.push(() => source.destroy());
    await checkKey(source, journal, sealer);

    const publicAddress = new PublicAddress(settings);
    const ground: Ground = {
      settings,
      publicAddress,
      clock,
      bounds,
      random,
      log,
      hosts,
      sealer,
      journal,
      source,
      reader,
    };
    const app = await createHttpApplication(RelayModule.on(ground), { publicAddress, log });
    opened.push(() => within(CLOSE_WITHIN_MS, app.close()));
    app.useWebSocketAdapter(new LiveSocketAdapter(app));
    app.get(OpenApi).describe(app);

    await listen(
      () => app.listen({ port: settings.port, host: settings.host, backlog: LISTEN_BACKLOG }),
      settings,
    );
    const { port } = app.getHttpServer().address() as AddressInfo;
    publicAddress.listeningOn(port);

    const dispatcher = app.get(Dispatcher);
    dispatcher.start();
    // Side by side, and ahead of closing the application, which has less time than a request to Co-Pilot may take.
    opened.push(() => Promise.all([dispatcher.stop(), app.get(Renewal).stop()]));
    app.get(HealthChecks).add({ name: 'dispatcher', check: async () => dispatcher.isRunning });
    app.get(Heartbeat).start();
    app.get(SilenceDetector).start();
    app.get(SubscriptionService).start();
    app.get(ReachabilityProbe).start();
    app.get(TextIndex).start();
    opened.push(leaveAddress(settings, port, app.get(ProofController).secret));

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
      firstStart,
      makeLoginLink: () => makeLoginLink(app.get(LoginLinksService)),
      stop: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeLoginLink(links: LoginLinksService): Promise<string> {
  const { url } = await runAsSystem({ action: 'login_link.create', showsSecret: true }, () => links.create());
  return url;
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

async function listen(start: () => Promise<unknown>, { host, port }: Settings): Promise<void> {
  try {
    await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
    throw new StartupError([
      {
        where: 'HOST, PORT',
        what: `Nothing can listen on ${host}:${port} (${code}).`,
        remedy: 'Give another PORT (0 picks a free one) or HOST.',
      },
    ]);
  }
}

function leaveAddress({ dataDir, host }: Settings, port: number, secret: string): () => void {
  const reachable =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  writeAddress(dataDir, { url: `http://${reachable}:${port}`, secret });
  return () => rmSync(addressFile(dataDir), { force: true });
}
