import type { EventType } from '../protocol/event-types';
import { type Clock, isoTime, systemClock } from './clock';
import { Deliveries } from './webhooks/deliveries';
import { type EmittedEvent, Emitter } from './webhooks/emitter';
import { Crm } from './crm/crm';
import { Traffic } from './webhooks/traffic';
import { Webhooks } from './webhooks/webhooks';
import { faultChanges, readingChanges } from './quirks/quirk-changes';
import { Faults, type FaultStates } from './quirks/faults';
import { createHttpApplication } from './http-application';
import { applicationRequest } from './oauth/application-request';
import { Applications, type Credentials } from './oauth/applications';
import type { ConsentMode } from './oauth/authorize-routes';
import { Grants } from './oauth/grants';
import { PendingConsents } from './oauth/pending-consents';
import { parseRequest } from './parse-request';
import { type RandomBytes, systemRandomBytes } from './random';
import { LiveReadings, type Readings } from './quirks/readings';
import { type LogRecord, type RequestRecord, SandboxLog } from './sandbox-log';
import { State } from './state/state';

/** How a sandbox is to run. Everything has a default. */
export interface SandboxOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  clock?: Clock;
  random?: RandomBytes;
  /** Default `ask`. */
  consent?: ConsentMode;
  /** Events that happen by themselves; default 0: none. */
  eventsPerSecond?: number;
  /** What the document leaves open and this sandbox is to read otherwise. */
  readings?: Partial<Readings>;
  /** What it is to do wrong from the beginning. */
  faults?: Partial<FaultStates>;
  /** The folder that keeps everything across restarts, a SIGKILL included; default: in memory only. */
  data?: string;
  /** Receives one record for each request and each attempt at a notification. */
  log?: (record: LogRecord) => void;
}

/** An application to be registered, with fixed credentials where they must stay the same over restarts. */
interface NewApplication extends Partial<Credentials> {
  name: string;
  redirectUris: string[];
}

/** A running sandbox: the Co-Pilot service emulated from its document. */
export interface Sandbox {
  /** Without a slash at its end; {base_url} of the document. */
  readonly baseUrl: string;
  /** Throws a `Problem` that lists every fault of it. */
  createApplication(application: NewApplication): Credentials;
  /** The applications there are, those of earlier runs included, oldest first. */
  applications(): { clientId: string; name: string }[];
  /** Events per second from now on; 0 stops them. Throws a RangeError on a negative one. */
  setRate(eventsPerSecond: number): void;
  /** Lets one event happen, with `overrides` in place of fields of its `data`. */
  emit(type: EventType, overrides?: Record<string, unknown>): EmittedEvent;
  /** The latest 1,000 requests that were answered, oldest first. */
  requests(): RequestRecord[];
  /** Resolves when all that was done until now is on disk; an HTTP answer waits for that by itself. */
  saved(): Promise<void>;
  /** Ends everything that is under way; resolves when nothing is left running. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox. Rejects when it cannot listen there, with a `Problem` on readings or faults there are not, and with
 * `StateRefused` on a folder that another sandbox has or whose content it cannot understand.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = systemClock, log: listener = () => undefined } = options;
  const log = new SandboxLog(listener);
  const state = State.open(options.data, clock, ({ message }) =>
    log.add({
      kind: 'fault',
      at: isoTime(clock.now()),
      message: `The state could not be written: ${message}`,
    }),
  );
  try {
    return await startOn(state, log, options);
  } catch (error) {
    state.abandon();
    throw error;
  }
}

async function startOn(state: State, log: SandboxLog, options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, clock = systemClock, random = systemRandomBytes } = options;
  const { consent = 'ask', eventsPerSecond = 0 } = options;
  let baseUrl = '';

  const readings = new LiveReadings(parseRequest(readingChanges, options.readings ?? {}));
  const faults = new Faults(parseRequest(faultChanges, options.faults ?? {}));
  const applications = new Applications(random);
  const grants = new Grants(clock, random, readings);
  const pendingConsents = new PendingConsents(clock, random, applications);
  const webhooks = new Webhooks(random);
  const crm = new Crm(() => baseUrl, clock, random);
  const deliveries = new Deliveries(clock, log, readings, faults, () => state.markChanged());
  const emitter = new Emitter(crm, webhooks, deliveries, clock, random);
  const traffic = new Traffic(clock, () => {
    emitter.emitNext();
    state.markChanged();
  });

  state.register('applications', applications);
  state.register('grants', grants);
  state.register('pending_consents', pendingConsents);
  state.register('crm', crm);
  state.register('webhooks', webhooks);

  const parts = {
    state,
    applications,
    grants,
    pendingConsents,
    webhooks,
    crm,
    emitter,
    traffic,
    log,
    clock,
    consent,
    readings,
    faults,
  };
  const app = createHttpApplication(parts);
  baseUrl = baseUrlOf(await app.listen({ host, port }));
  deliveries.resume(webhooks.all());
  traffic.change({ eventsPerSecond });

  return {
    baseUrl,
    createApplication({ name, redirectUris, ...given }) {
      state.markChanged();
      return applications.register(
        parseRequest(applicationRequest, { name, redirect_uris: redirectUris }),
        given,
      );
    },
    applications: () => applications.all().map(({ clientId, name }) => ({ clientId, name })),
    setRate: (perSecond) => traffic.change({ eventsPerSecond: perSecond }),
    emit(type, overrides) {
      state.markChanged();
      return emitter.emit(type, overrides);
    },
    requests: () => log.requests(),
    saved: () => state.save(),
    async close() {
      await app.close();
      traffic.stop();
      await deliveries.close();
      await state.close();
    },
  };
}

// Who listens on all addresses is reached by name; such an address itself names no place to go to.
function baseUrlOf(listening: string): string {
  const url = new URL(listening);
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost';
  return url.origin;
}
