import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { EventType } from '../protocol/event-types';
import { type Clock, isoTime, systemClock } from './clock';
import { Deliveries } from './webhooks/deliveries';
import { type EmittedEvent, Emitter } from './webhooks/emitter';
import { Crm } from './crm/crm';
import { Traffic } from './webhooks/traffic';
import { Webhooks } from './webhooks/webhooks';
import { quirkChanges } from './quirks/quirk-changes';
import { Quirks, type QuirkValues } from './quirks/quirks';
import { createHttpApplication } from './http-application';
import { Applications, applicationRequest, type Credentials } from './oauth/applications';
import { Grants } from './oauth/grants';
import { PendingConsents } from './oauth/pending-consents';
import { parseRequest } from './parse-request';
import type { ConsentMode } from './parts';
import type { RandomBytes } from './random';
import { respondAsReceiver } from './receiver';
import { type LogRecord, type RequestRecord, SandboxLog } from './sandbox-log';
import { State } from './state/state';

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: a free port. */
  port?: number;
  clock?: Clock;
  random?: RandomBytes;
  /** Default `ask`. */
  consent?: ConsentMode;
  /** Automatic events; default 0: none. */
  eventsPerSecond?: number;
  /** Initial values that differ from the defaults. */
  quirks?: Partial<QuirkValues>;
  /** The folder that stores the state across restarts and crashes; default: in memory only. */
  data?: string;
  /** Whether redirect URIs and webhooks may use http beyond loopback; default false. */
  allowHttp?: boolean;
  /** Called for each request, each delivery attempt, and each failure to save the state. */
  log?: (record: LogRecord) => void;
}

/** An application to register, with fixed credentials if they must not change across restarts. One that exists is changed. */
interface NewApplication extends Partial<Credentials> {
  name: string;
  redirectUris: string[];
}

/** A running sandbox, which emulates the Co-Pilot service according to its document. */
export interface Sandbox {
  /** {base_url} of the document, without a trailing slash. */
  readonly baseUrl: string;
  /** @throws Problem that lists all invalid fields */
  createApplication(application: NewApplication): Credentials;
  /** Oldest first, including those of earlier runs. */
  applications(): { clientId: string; name: string }[];
  /** Automatic events per second; 0 stops them. @throws RangeError if negative */
  setRate(eventsPerSecond: number): void;
  /** Responds to a delivery that another port received, as `/receiver` does. */
  receive(response: ServerResponse): void;
  /** Emits one event; `overrides` replace fields of its `data`. */
  emit(type: EventType, overrides?: Record<string, unknown>): EmittedEvent;
  /** The latest 1,000 requests, oldest first. */
  requests(): RequestRecord[];
  /** Resolves when all changes so far are on disk. HTTP responses wait for this by themselves. */
  saved(): Promise<void>;
  /** Aborts all pending work; resolves when everything has stopped. */
  close(): Promise<void>;
}

/**
 * Rejects if it cannot listen, with a `Problem` for invalid quirks, and with a `StateError` if the data folder is in
 * use or unreadable.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = systemClock, log: listener = () => undefined } = options;
  const log = new SandboxLog(listener);
  const state = State.open(options.data, clock, ({ message }) =>
    log.add({
      kind: 'error',
      at: isoTime(clock.now()),
      message: `The state could not be saved: ${message}`,
    }),
  );
  try {
    return await startWithState(state, log, options);
  } catch (error) {
    state.closeWithoutSaving();
    throw error;
  }
}

async function startWithState(state: State, log: SandboxLog, options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, clock = systemClock, random = randomBytes } = options;
  const { consent = 'ask', eventsPerSecond = 0, allowHttp = false } = options;
  let baseUrl = '';

  const quirks = new Quirks(parseRequest(quirkChanges, options.quirks ?? {}));
  const applications = new Applications(random);
  const grants = new Grants(clock, random, quirks);
  const pendingConsents = new PendingConsents(clock, random, applications);
  const webhooks = new Webhooks(random);
  const crm = new Crm(() => baseUrl, clock, random);
  const deliveries = new Deliveries(clock, log, quirks, () => state.markChanged());
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

  const app = createHttpApplication({
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
    quirks,
    allowHttp,
  });
  baseUrl = baseUrlOf(await app.listen({ host, port }));
  deliveries.resume(webhooks.all());
  traffic.change({ events_per_second: eventsPerSecond });

  return {
    baseUrl,
    createApplication({ name, redirectUris, ...given }) {
      state.markChanged();
      const request = parseRequest(applicationRequest(allowHttp), { name, redirect_uris: redirectUris });
      const { clientId = '', clientSecret = '' } = given;
      const known = applications.authenticate(clientId, clientSecret);
      if (known === undefined) return applications.register(request, given);
      applications.change(known, request);
      return { clientId, clientSecret };
    },
    applications: () => applications.all().map(({ clientId, name }) => ({ clientId, name })),
    setRate: (perSecond) => traffic.change({ events_per_second: perSecond }),
    receive: (response) => respondAsReceiver(response, quirks),
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

// The wildcard addresses cannot be connected to.
function baseUrlOf(listening: string): string {
  const url = new URL(listening);
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost';
  return url.origin;
}
