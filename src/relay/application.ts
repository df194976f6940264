import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { LoginLinksService } from './access/login-links.service';
import { runAsSystem } from './ground/audit-context';
import type { Clock } from './ground/clock';
import type { Log } from './ground/log';
import type { Random } from './ground/random';
import type { Store, StoreTools } from './database/store';
import type { ApplicationParts, Ground } from './ground.module';
import { closeApplication } from './http/close-application';
import { createHttpApplication } from './http/http-application';
import type { HostAddresses } from './network/host-addresses';
import { ENTITIES } from './relay.module';
import { checkKey } from './secrets/check-key';
import { openTracer } from './tracing/open-tracer';
import { threadsEnded } from './database/reading/end-thread';
import { withTimeout } from './ground/with-timeout';

/** Spans that a receiver has not taken by then are lost. */
const TRACER_CLOSE_TIMEOUT_MS = 2_000;

export interface Relay {
  /** The public URL, for browsers and Co-Pilot. */
  url: string;
  /** Whether the database was created by this start. */
  firstStart: boolean;
  makeLoginLink: () => Promise<string>;
  /** Answers pending requests, waits a while for attempts in flight, and writes everything to disk. */
  stop: () => Promise<void>;
}

export interface RelayParts {
  log: Log;
  clock?: Clock;
  random?: Random;
  hosts?: HostAddresses;
  /** The file descriptor of a listening socket to use instead of HOST and PORT; null: there is none. */
  listenFd?: number | null;
}

/** A module with everything it uses, on an open database; it does not listen yet. */
export interface Application {
  app: NestFastifyApplication;
  store: Store;
  /** Answers pending requests, and writes everything to disk. */
  close: () => Promise<void>;
}

/**
 * @param createModule the module, with the services that all features share
 * @throws StartupError if the operator has to change something first
 */
export async function openApplication(
  createModule: (ground: Ground) => DynamicModule,
  openStore: (tools: StoreTools) => Promise<Store>,
  parts: ApplicationParts,
): Promise<Application> {
  const { settings, publicAddress, clock, log, sealer } = parts;
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const store = await openStore({ clock, log, entities: ENTITIES, closers });
    const { journal, reader, source, bounds } = store;
    await checkKey(source, journal, sealer);
    const tracer = await openTracer(settings, { journal, clock, log, recordsEvents: parts.leadership.leads });
    closers.push(() => withTimeout(tracer.close(), TRACER_CLOSE_TIMEOUT_MS, undefined));
    const ground: Ground = { ...parts, bounds, journal, source, reader, tracer };
    const app = await createHttpApplication(createModule(ground), { publicAddress, log });
    closers.push(threadsEnded, () => closeApplication(app));
    return { app, store, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function makeLoginLink(links: LoginLinksService): Promise<string> {
  const { url } = await runAsSystem({ action: 'login_link.create', showsSecret: true }, () => links.create());
  return url;
}
