import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Clock } from '../ground/clock';
import type { AppendOutcome } from '../database/journal';
import { EventsService } from '../events/events.service';
import { Log } from '../ground/log';
import { ReachabilityProbe } from '../diagnostics/reachability/reachability-probe';
import { closeIfUnread } from '../http/close-in-stages';
import { IncomingBodies, type BodyRefusal } from '../http/incoming-bodies';
import { ClientAddress } from '../settings/client-address';
import { Settings } from '../settings/settings';
import type { ActiveKey } from '../subscription/active-keys';
import { SubscriptionService } from '../subscription/subscription.service';
import { AckMeter } from './ack-meter';
import { interceptRequests } from './divert-requests';
import { draftEvent } from './draft-event';
import { endOfTurn } from './end-of-turn';
import { LargeBodies } from './large-bodies';
import { Quarantine } from './quarantine';
import { RefusedNotifications } from './refused-notifications';
import * as refusals from './refusals';
import { findSignature, verifySignature } from './verify-signature';

const PREFIX = '/hooks/';

/** Headers that may contain credentials; they are not stored. */
const OMITTED_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** When a notification started to arrive. */
interface Arrival {
  /** Ms since 1970. */
  at: number;
  /** By monotonic time: Co-Pilot's timeout starts then. */
  startedAt: number;
}

/**
 * The webhook endpoint: raw bytes, key, signature, parse, commit, 200, and nothing else. It receives
 * requests directly from the server, bypassing the framework.
 */
@Injectable()
export class ReceiveNotifications implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly subscription: SubscriptionService,
    private readonly events: EventsService,
    private readonly bodies: IncomingBodies,
    private readonly largeBodies: LargeBodies,
    private readonly quarantine: Quarantine,
    private readonly refused: RefusedNotifications,
    private readonly reachability: ReachabilityProbe,
    private readonly meter: AckMeter,
    private readonly client: ClientAddress,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    interceptRequests(server, PREFIX, (request, response) => {
      this.open(request, response).catch((error: unknown) => {
        this.log.error({ err: error }, 'notification not received');
        this.refused.add('internal_error');
        if (!response.headersSent) refuse(response, refusals.NOT_STORED);
      });
    });
  }

  /** The key is checked first: without a valid one, no byte of the body is read. */
  private async open(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = keyIn(request.url!);
    const active = this.subscription.byKey(key);
    if (active === null && this.reachability.expects(key)) return this.receiveProbe(request, response);
    if (active === null) {
      this.refused.add(this.containsKey(key) ? 'wrong_path' : 'unknown_key');
      return refuseUnread(request, response, refusals.UNKNOWN_KEY);
    }
    if (request.method !== 'POST') {
      this.refused.add('wrong_method');
      return refuseUnread(request, response, refusals.NOT_A_POST);
    }
    this.largeBodies.pace(request);
    const arrival = { at: this.clock.now(), startedAt: this.clock.monotonic() };
    const body = await this.read(request);
    if (typeof body === 'string') {
      this.refused.add(body);
      return refuseUnread(request, response, refusals.UNREAD[body]);
    }
    await endOfTurn();
    await this.receive(request, response, body, active, arrival);
  }

  private read(request: IncomingMessage): Promise<Buffer | BodyRefusal> {
    return this.bodies.read(request, 'hooks', this.settings.bodyLimitBytes);
  }

  /** Whether any path segment is a valid key: then the sender knew our URL. */
  private containsKey(path: string): boolean {
    return path.split('/').some((part) => this.subscription.byKey(part) !== null);
  }

  private async receiveProbe(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    if (typeof verified === 'string') {
      this.meter.count('rejected', 0);
      const address = this.client.of(request);
      this.quarantine.add({
        address,
        reason: verified,
        subscriptionId,
        headers: storedHeaders(request),
        body,
      });
      return refuse(response, refusals.BAD_SIGNATURE);
    }

    const notification = { body, headers: storedHeaders(request), receivedAt: arrival.at };
    const { draft, content } = draftEvent(notification, verified);
    const outcome = await this.events.record(draft, content, arrival.startedAt);
    this.subscription.learnSignatureHeader(subscriptionId, verified.header);
    this.subscription.recordNotification(subscriptionId, arrival.at, draft.webhookId);
    this.respond(response, outcome, performance.now() - readAt);
  }

  private respond(response: ServerResponse, outcome: AppendOutcome, tookMs: number): void {
    if (outcome.status === 'refused') {
      this.refused.add(outcome.reason, outcome.cause);
      return refuse(response, refusals.NOT_STORED);
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
}

function refuseUnread(request: IncomingMessage, response: ServerResponse, refusal: refusals.Refusal): void {
  closeIfUnread(request, response);
  refuse(response, refusal);
}

function refuse(response: ServerResponse, { status, headers, body }: refusals.Refusal): void {
  response.writeHead(status, headers).end(body);
}

/** The path below the prefix, without the query. */
function keyIn(url: string): string {
  const query = url.indexOf('?');
  return url.slice(PREFIX.length, query < 0 ? undefined : query);
}

function storedHeaders({ rawHeaders }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!OMITTED_HEADERS.has(name)) pairs.push([name, rawHeaders[i + 1]!]);
  }
  return pairs;
}
