import type { LookupAddress } from 'node:dns';
import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../../ground/lower-thread-priority';
import { HttpConnections } from './http-connections';
import type {
  FromSendingThread,
  Resolved,
  SentOutcome,
  SentRequest,
  ToSendingThread,
} from './sending-messages';

/** Of a busy core it then gets a third of the usual share: acknowledgements do not wait while a backlog is sent. */
const PRIORITY_STEPS = 5;

/** Sends HTTP requests to targets on a separate thread. Which addresses are permitted, it asks the main thread. */
const port = parentPort!;
lowerThreadPriority(PRIORITY_STEPS);
const open = new Map<number, HttpConnections>();
const lookups = new Map<number, (resolved: Resolved) => void>();
let lastLookup = 0;
let outcomes: SentOutcome[] = [];

port.on('message', (message: ToSendingThread) => {
  if (message.kind === 'send') sendAll(message.requests, message.bodies);
  else if (message.kind === 'open') {
    const { connections, settings, proxy } = message;
    const resolveBy = (isProxy: boolean) => (host: string) => resolve(connections, host, isProxy);
    const route = { proxy, resolve: resolveBy(false), resolveProxy: resolveBy(true) };
    open.set(connections, new HttpConnections(settings, route));
  } else if (message.kind === 'resolved') {
    lookups.get(message.lookup)!(message);
    lookups.delete(message.lookup);
  } else {
    void open.get(message.connections)!.abort();
    open.delete(message.connections);
  }
});

function sendAll(requests: readonly SentRequest[], bodies: ArrayBuffer): void {
  let used = 0;
  for (const request of requests) {
    const [, , , bodyBytes] = request;
    void send(request, new Uint8Array(bodies, used, bodyBytes));
    used += bodyBytes;
  }
}

async function send([connections, id, headers, , secrets]: SentRequest, body: Uint8Array): Promise<void> {
  const outcome = await open.get(connections)!.send(headers, body, secrets);
  // It was aborted, and nobody waits for it.
  if (outcome === null) return;
  const { status, error, durationMs, excerpt, retryAfter, wasStale = false } = outcome;
  report([connections, id, status, error, durationMs, excerpt, retryAfter, wasStale]);
}

/** The outcomes of one turn of the event loop are one message. */
function report(outcome: SentOutcome): void {
  if (outcomes.push(outcome) > 1) return;
  setImmediate(() => {
    post({ kind: 'outcomes', outcomes });
    outcomes = [];
  });
}

async function resolve(connections: number, host: string, isProxy: boolean): Promise<LookupAddress[]> {
  const lookup = (lastLookup += 1);
  post({ kind: 'resolve', lookup, connections, host, isProxy });
  const resolved = await new Promise<Resolved>((done) => lookups.set(lookup, done));
  if ('addresses' in resolved) return resolved.addresses;
  throw Object.assign(new Error(`${host} was not resolved`), { code: resolved.code });
}

function post(message: FromSendingThread): void {
  port.postMessage(message);
}
