import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { LoginLinksService } from './access/login-links.service';
import { ProofController } from './api/proof.controller';
import { addressFile, writeAddress } from './settings/address-file';
import { OpenApi } from './api/openapi';
import { systemClock, type Clock } from './ground/clock';
import { RenewalWorker } from './connection/renewal.worker';
import { runAsSystem } from './ground/audit-context';
import { lockDatabase, lockDataDir } from './database/locks';
import { openStore } from './database/open-store';
import { DispatchWorker } from './deliveries/queue/dispatch.worker';
import type { Ground } from './ground.module';
import { closeApplication } from './http/close-application';
import { createHttpApplication } from './http/http-application';
import { HandOver } from './http/hand-over';
import { LiveSocketAdapter } from './live/live-socket-adapter';
import type { Log } from './ground/log';
import { HostAddresses } from './network/host-addresses';
import { HealthService } from './diagnostics/health.service';
import { systemRandom, type Random } from './ground/random';
import { StartupError } from './ground/relay-error';
import { ENTITIES, RelayModule } from './relay.module';
import { checkKey } from './secrets/check-key';
import { isAccessibleToOthers, makePrivate } from './secrets/private-files';
import { loadSecretKey } from './secrets/secret-files';
import { Sealer } from './secrets/sealer';
import { isLoopbackName, isUnencrypted } from './settings/loopback';
import { PublicAddress } from './settings/public-address';
import type { Settings } from './settings/settings';
import { openTracer } from './tracing/open-tracer';
import { callOnListening } from './ground/on-listening';
import { VERSION } from './ground/version';
import { withTimeout } from './ground/with-timeout';

export interface Relay {
  /** The public URL, for browsers and Co-Pilot. */
  url: string;
  /** Whether the database was created by this start. */
  firstStart: boolean;
  makeLoginLink: () => Promise<string>;
  /** Answers pending requests, waits a while for attempts in flight, and writes everything to disk. */
  stop: () => Promise<void>;
}

const ACCESSIBLE_DATA_DIR =
  'DATA_DIR is accessible to other users of this machine: restrict it with chmod 700; the files in it are private';

/** Spans that a receiver has not taken by then are lost. */
const TRACER_CLOSE_TIMEOUT_MS = 2_000;

const LOCK_LOST =
  'the connection that held the lock on the database was lost; ending as if killed, because another daemon may use the database now';

/** For the log to be written. */
const LOG_TIME_MS = 100;

const PLAIN_HTTP =
  'plain http: tokens, secrets and events are sent unencrypted, and whoever is on this network can read and forge them';

/**
 * Connections that wait to be accepted. Beyond this the kernel drops the first packet of a connection, which
 * the client repeats after a second. A single client could fill Node's default of 511.
 */
const LISTEN_BACKLOG = 4_096;

interface RelayParts {
  log: Log;
  clock?: Clock;
  random?: Random;
  hosts?: HostAddresses;
  /** The file descriptor of a listening socket to use instead of HOST and PORT; null: there is none. */
  listenFd?: number | null;
}

/**
 * Starts the daemon, from locking `DATA_DIR` and the database to listening.
 * @throws StartupError if the operator has to change something first
 */
export async function startRelay(settings: Settings, parts: RelayParts): Promise<Relay> {
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
    const sealer = new Sealer(loadSecretKey(settings, random), random);
    const onLockLost = (error: Error) => endWithoutLock(error, log);
    const storeTools = { clock, log, entities: ENTITIES, closers, onLockLost };
    const { journal, reader, source, bounds, isNew } = await openStore(settings, storeTools);
    await checkKey(source, journal, sealer);
    const tracer = await openTracer(settings, { journal, clock, log });
    closers.push(() => withTimeout(tracer.close(), TRACER_CLOSE_TIMEOUT_MS, undefined));

    warnOfPlainHttp(settings, log);
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
      tracer,
    };
    const app = await createHttpApplication(RelayModule.with(ground), { publicAddress, log });
    closers.push(() => closeApplication(app));
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
    publicAddress.listeningOn(port);

    const dispatcher = app.get(DispatchWorker);
    callOnListening(app);
    // Stopped before the application closes, whose timeout is shorter than that of a request to Co-Pilot.
    closers.push(() => Promise.all([dispatcher.stop(), app.get(RenewalWorker).stop()]));
    app.get(HealthService).add({ name: 'dispatcher', check: async () => dispatcher.isRunning });
    closers.push(saveAddress(settings.dataDir, address, port, app.get(ProofController).secret));

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

/** Not gracefully, which would write what another daemon may be writing too. */
function endWithoutLock(error: Error, log: Log): void {
  log.fatal({ err: error }, LOCK_LOST);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LOG_TIME_MS);
}

async function makeLoginLink(links: LoginLinksService): Promise<string> {
  const { url } = await runAsSystem({ action: 'login_link.create', showsSecret: true }, () => links.create());
  return url;
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
        what: `Cannot listen on ${host}:${port} (${code}).`,
        remedy: 'Set another PORT (0 picks a free one) or HOST.',
      },
    ]);
  }
}

function warnOfPlainHttp({ copilot, publicUrl }: Settings, log: Log): void {
  for (const [setting, url] of Object.entries({ COPILOT_BASE_URL: copilot.baseUrl, PUBLIC_URL: publicUrl })) {
    if (url !== null && isUnencrypted(url)) log.warn({ setting, url }, PLAIN_HTTP);
  }
}

/** Fastify listens on a second address for the name `localhost`, which a passed socket must not lead to. */
const listenOptions = ({ host, port }: Settings, fd: number | null) =>
  fd === null ? { host, port, backlog: LISTEN_BACKLOG } : { host: '127.0.0.1', fd, backlog: LISTEN_BACKLOG };

/** `HOST` decides which targets are allowed by default, so it must say truly who can reach the daemon. */
function checkPassedSocket(address: string, { host }: Settings): void {
  if (isLoopbackName(address) === isLoopbackName(host)) return;
  throw new StartupError([
    {
      where: 'HOST',
      what: `HOST is ${host}, but the socket that the service manager passed listens on ${address}.`,
      remedy: `Set HOST=${address}, or change ListenStream in switchboard.socket.`,
    },
  ]);
}

function saveAddress(dataDir: string, address: string, port: number, secret: string): () => void {
  const hostname =
    address === '0.0.0.0'
      ? '127.0.0.1'
      : address === '::'
        ? '[::1]'
        : address.includes(':')
          ? `[${address}]`
          : address;
  writeAddress(dataDir, { url: `http://${hostname}:${port}`, secret });
  return () => rmSync(addressFile(dataDir), { force: true });
}
