import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Clock } from '../ground/clock';
import { LeaderLink } from '../ground/leader-link';
import type { AppendOutcome } from '../database/journal/journal';
import { EventsService } from '../events/events.service';
import { Log } from '../ground/log';
import { ReachabilityWorker } from '../diagnostics/reachability/reachability.worker';
import { closeIfUnread } from '../http/close-in-stages';
import { ConnectionLimit } from '../http/connection-limit';
import { IncomingBodies, type BodyFailure } from '../http/incoming-bodies';
import { interceptRequests } from '../http/intercept-requests';
import { onRejected, type RejectedRequest } from '../http/rejected-request';
import { PEER_HEADER } from '../secrets/forwarded-peers';
import { ClientAddress } from '../settings/client-address';
import { Settings } from '../settings/settings';
import { ActiveKeys, type ActiveKey } from '../subscription/active-keys';
import { AckMeter } from './ack-meter';
import { draftEvent } from './draft-event';
import { LargeBodies } from './large-bodies';
import { QuarantineStore } from './quarantine.store';
import { NotStoredWorker } from './not-stored.worker';
import * as errorResponses from './error-responses';
import type { ErrorResponse } from './error-responses';
import { findSignature, verifySignature } from './verify-signature';

const PREFIX = '/hooks/';

/** Headers that may contain credentials, or that daemons add; they are not stored. */
const OMITTED_HEADERS = ['authorization', 'cookie', 'proxy-authorization', PEER_HEADER];

/** When a notification started to arrive, on both clocks. */
interface Arrival {
  /** Ms since 1970. */
  wallMs: number;
  /** The time limit for the commit counts from here, because Co-Pilot's timeout does. */
  monotonicMs: number;
}

/**
 * The webhook endpoint: checks the key, reads the body, verifies the signature, parses, commits and answers
 * 200. It receives requests directly from the HTTP server, bypassing the framework.
 */
@Injectable()
export class NotificationReceiver implements OnModuleInit {
  private readonly omittedHeaders: ReadonlySet<string>;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly keys: ActiveKeys,
    private readonly events: EventsService,
    private readonly bodies: IncomingBodies,
    private readonly largeBodies: LargeBodies,
    private readonly quarantine: QuarantineStore,
    private readonly notStored: NotStoredWorker,
    private readonly reachability: ReachabilityWorker,
    private readonly meter: AckMeter,
    private readonly client: ClientAddress,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly leaderLink: LeaderLink,
    private readonly connections: ConnectionLimit,
    private readonly log: Log,
  ) {
    this.omittedHeaders = new Set([...OMITTED_HEADERS, settings.userSecret?.name ?? '']);
  }

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    onRejected(server, (rejected) => this.recordRejected(rejected));
    interceptRequests(server, (request, response, next) => {
      if (!isForHooks(request.url!)) return next();
      this.open(request, response).catch((error: unknown) => {
        this.log.error({ err: error }, 'notification not received');
        this.notStored.add('internal_error');
        if (!response.headersSent) respondWithError(response, errorResponses.NOT_STORED);
      });
    });
  }

  /** The key is checked first: without a valid one, no byte of the body is read. */
  private async open(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = keyIn(request.url!);
    if (this.reachability.expects(key)) return this.receiveReachabilityCheck(request, response);
    const active = this.keys.byKey(key) ?? (await this.keys.findRegistered(key));
    if (active === null) {
      // It may belong to a reachability check, which only the leader knows.
      if (this.keys.mayBeOfOtherDaemon(key) && this.leaderLink.passRequest(request, response)) return;
      this.notStored.add(this.containsKey(key) ? 'wrong_path' : 'unknown_key');
      return respondUnread(request, response, errorResponses.UNKNOWN_KEY);
    }
    if (request.method !== 'POST') {
      this.notStored.add('wrong_method');
      return respondUnread(request, response, errorResponses.NOT_A_POST);
    }
    this.largeBodies.pace(request);
    const arrival = { wallMs: this.clock.now(), monotonicMs: this.clock.monotonic() };
    const body = await this.read(request);
    if (typeof body === 'string') {
      this.notStored.add(body);
      return respondUnread(request, response, errorResponses.BODY_NOT_RECEIVED[body]);
    }
    await endOfTurn();
    await this.receive(request, response, body, active, arrival);
  }

  private read(request: IncomingMessage): Promise<Buffer | BodyFailure> {
    return this.bodies.read(request, 'hooks', this.settings.bodyLimitBytes);
  }

  /** Counts what did not get here, so that a notification that the HTTP server refuses leaves a trace. */
  private recordRejected({ url, reason }: RejectedRequest): void {
    if (url === null) return this.notStored.add('unidentified');
    if (!isForHooks(url)) return;
    const key = keyIn(url);
    if (this.keys.byKey(key) !== null) this.notStored.add(reason);
    else this.notStored.add(this.containsKey(key) ? 'wrong_path' : 'unknown_key');
  }

  /** Whether any segment of the path is a valid key: then a proxy has rewritten our URL. */
  private containsKey(path: string): boolean {
    return path.split('/').some((part) => this.keys.byKey(part) !== null);
  }

  private async receiveReachabilityCheck(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.read(request);
    if (typeof body === 'string') return;
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(this.reachability.receive(request.headers, body));
  }

  private async receive(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    { subscriptionId, secret, signatureHeader }: ActiveKey,
    arrival: Arrival,
  ): Promise<void> {
    const readAt = performance.now();
    const verified = this.largeBodies.isLarge(body)
      ? findSignature(await this.largeBodies.hmac(body, secret), request.headers, signatureHeader)
      : verifySignature(body, secret, request.headers, signatureHeader);
    const headers = this.storedHeaders(request);
    if (typeof verified === 'string') {
      this.meter.count('rejected', 0);
      const address = this.client.of(request);
      this.quarantine.add({ address, reason: verified, subscriptionId, headers, body });
      return respondWithError(response, errorResponses.BAD_SIGNATURE);
    }

    this.connections.trust(request.socket);
    const { draft, content } = draftEvent({ body, headers, receivedAt: arrival.wallMs }, verified);
    const outcome = await this.events.record(draft, content, arrival.monotonicMs);
    const { header } = verified;
    this.keys.recordVerified({ subscriptionId, header, webhookId: draft.webhookId, at: arrival.wallMs });
    this.respond(response, outcome, performance.now() - readAt);
  }

  private respond(response: ServerResponse, outcome: AppendOutcome, tookMs: number): void {
    if (outcome.status === 'not_stored') {
      this.notStored.add(outcome.reason, outcome.cause);
      return respondWithError(response, errorResponses.NOT_STORED);
    }
    this.meter.count(outcome.status, tookMs);
    if (this.log.isLevelEnabled('debug')) {
      this.log.debug({ event: outcome.id, outcome: outcome.status, took_ms: tookMs }, 'notification');
    }
    const body = `{"id":"${outcome.id}","status":"${outcome.status}"}`;
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    });
    response.end(body);
  }

  private storedHeaders({ rawHeaders }: IncomingMessage): [string, string][] {
    const pairs: [string, string][] = [];
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!.toLowerCase();
      if (!this.omittedHeaders.has(name)) pairs.push([name, rawHeaders[i + 1]!]);
    }
    return pairs;
  }
}

let turn: Promise<void> | null = null;

/**
 * Resolves once the current turn of the event loop has read all sockets, for all callers of that turn. Processing the
 * notifications of one turn in a row takes 25 % less CPU than alternating with socket reads.
 */
function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = null;
      resolve();
    });
  });
  return turn;
}

function respondUnread(request: IncomingMessage, response: ServerResponse, error: ErrorResponse): void {
  closeIfUnread(request, response);
  respondWithError(response, error);
}

function respondWithError(response: ServerResponse, { status, headers, body }: ErrorResponse): void {
  response.writeHead(status, headers).end(body);
}

/** A proxy may have put something in front, such as another slash. */
const isForHooks = (url: string) => url.startsWith(PREFIX) || url.split('?', 1)[0]!.includes(PREFIX);

/** The path below `/hooks/`, without the query. */
function keyIn(url: string): string {
  const query = url.indexOf('?');
  return url.slice(PREFIX.length, query < 0 ? undefined : query);
}
