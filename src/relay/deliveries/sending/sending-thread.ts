import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { Log } from '../../ground/log';
import { MachineFaults } from '../../ground/machine-faults';
import { restartDelayMs } from '../../ground/restart-delay';
import type { Route } from '../../network/connector';
import type { AttemptOutcome } from './attempt-outcome';
import type { ConnectionSettings } from './connection-settings';
import type {
  FromSendingThread,
  Lookup,
  Resolved,
  SentOutcome,
  SentRequest,
  ToSendingThread,
} from './sending-messages';

/** The connections to one target. */
interface Connections {
  settings: ConnectionSettings;
  route: Route;
  /** By the id of the request. */
  inFlight: Map<number, (outcome: AttemptOutcome | null) => void>;
  /** Called when no request is in flight any more. */
  onIdle: (() => void) | null;
}

/**
 * The thread that sends requests to targets by HTTP, so that they take no time from notifications and dashboards. It
 * starts with the first request. If it fails, nothing is known about the requests in flight, and the next one starts
 * it again.
 */
@Injectable()
export class SendingThread {
  private worker: Worker | null = null;
  private readonly connections = new Map<number, Connections>();
  private lastNumber = 0;
  /** Sent once the callbacks that are due have run, together. */
  private queued: { request: SentRequest; body: Uint8Array }[] = [];
  private ended = false;

  /** Consecutive ones, and when the next start is due, by `performance.now()`. */
  private failures = 0;
  private startAt = 0;

  constructor(
    private readonly log: Log,
    readonly faults: MachineFaults,
  ) {}

  /** @returns the number of the connections */
  open({ url, tls, policy }: ConnectionSettings, route: Route): number {
    const number = (this.lastNumber += 1);
    const connections = { settings: { url, tls, policy }, route, inFlight: new Map(), onIdle: null };
    this.connections.set(number, connections);
    if (this.worker !== null) postOpen(this.worker, number, connections);
    return number;
  }

  /** @returns null if nothing is known of the outcome: the request was aborted, or the thread failed */
  send(
    number: number,
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
    const connections = this.connections.get(number);
    if (connections === undefined || this.ended) return Promise.resolve(null);
    const pauseMs = this.worker === null ? this.startAt - performance.now() : 0;
    if (pauseMs > 0) return wait(pauseMs, null, { ref: false });
    return new Promise((resolve) => {
      const id = (this.lastNumber += 1);
      connections.inFlight.set(id, resolve);
      if (this.queued.push({ request: [number, id, headers, body.length, secrets], body }) === 1)
        process.nextTick(() => this.postQueued());
    });
  }

  /** Resolves once the requests in flight have ended. */
  async close(number: number): Promise<void> {
    const connections = this.connections.get(number);
    if (connections === undefined) return;
    if (connections.inFlight.size > 0) await new Promise<void>((resolve) => (connections.onIdle = resolve));
    this.abort(number);
  }

  abort(number: number): void {
    const connections = this.connections.get(number);
    if (connections === undefined) return;
    this.connections.delete(number);
    this.queued = this.queued.filter(({ request }) => request[0] !== number);
    if (this.worker !== null) post(this.worker, { kind: 'close', connections: number });
    endAll(connections);
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.worker?.terminate();
    for (const connections of this.connections.values()) endAll(connections);
  }

  private postQueued(): void {
    const { queued } = this;
    this.queued = [];
    if (queued.length === 0 || this.ended) return;
    this.worker ??= this.start();
    const bytes = new Uint8Array(queued.reduce((sum, { body }) => sum + body.length, 0));
    let used = 0;
    for (const { body } of queued) {
      bytes.set(body, used);
      used += body.length;
    }
    const requests = queued.map(({ request }) => request);
    post(this.worker, { kind: 'send', requests, bodies: bytes.buffer }, [bytes.buffer]);
  }

  private start(): Worker {
    const worker = new Worker(join(__dirname, 'sending.thread.js'));
    // Only what the main thread does keeps the process running.
    worker.unref();
    worker.on('message', (message: FromSendingThread) => {
      this.failures = 0;
      if (message.kind === 'resolve') void this.resolve(worker, message);
      else for (const outcome of message.outcomes) this.report(outcome);
    });
    worker.on('error', (error) => {
      this.log.error({ err: error }, 'the thread that sends failed; its attempts are made again');
      this.faults.report(error.message);
    });
    worker.on('exit', () => {
      this.worker = null;
      this.queued = [];
      // After its first failure it is started again at once.
      this.startAt = this.failures === 0 ? 0 : performance.now() + restartDelayMs(this.failures - 1);
      this.failures += 1;
      for (const connections of this.connections.values()) endAll(connections);
    });
    for (const [number, connections] of this.connections) postOpen(worker, number, connections);
    return worker;
  }

  private report([number, id, status, error, durationMs, excerpt, retryAfter, wasStale]: SentOutcome): void {
    const connections = this.connections.get(number);
    const resolve = connections?.inFlight.get(id);
    if (connections === undefined || resolve === undefined) return;
    connections.inFlight.delete(id);
    resolve({ status, error, durationMs, excerpt, retryAfter, wasStale });
    if (connections.inFlight.size === 0) connections.onIdle?.();
  }

  private async resolve(worker: Worker, { lookup, connections, host, isProxy }: Lookup): Promise<void> {
    const route = this.connections.get(connections)?.route;
    const find = isProxy ? route?.resolveProxy : route?.resolve;
    // Without a route, the connections have been aborted meanwhile.
    const resolved: Resolved = await (find?.(host) ?? Promise.reject(new Error('aborted'))).then(
      (addresses) => ({ addresses }),
      (error: { code?: string }) => ({ code: error.code ?? '' }),
    );
    if (worker === this.worker) post(worker, { kind: 'resolved', lookup, ...resolved });
  }
}

/** Leaves the outcomes of the requests in flight unknown. */
function endAll({ inFlight, onIdle }: Connections): void {
  for (const resolve of inFlight.values()) resolve(null);
  inFlight.clear();
  onIdle?.();
}

function postOpen(worker: Worker, connections: number, { settings, route }: Connections): void {
  post(worker, { kind: 'open', connections, settings, proxy: route.proxy });
}

function post(worker: Worker, message: ToSendingThread, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(message, transfer);
}
