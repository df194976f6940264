import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../clock';
import type { AppendOutcome } from '../database/journal';
import { EventsService } from '../events/events.service';
import { LOG, type Log } from '../log';
import { Settings } from '../settings/settings';
import type { ActiveKey } from '../subscription/active-keys';
import { SubscriptionService } from '../subscription/subscription.service';
import { AckMeter } from './ack-meter';
import { identifyNotification } from './identify-notification';
import { parseNotification } from './parse-notification';
import { Quarantine } from './quarantine';
import * as refusals from './refusals';
import { verifySignature } from './verify-signature';

interface HookRequest extends FastifyRequest {
  params: { key: string };
  /** Ms since 1970. */
  arrivedAt: number;
  /** As it was sent. */
  contentType: string | null;
  active: ActiveKey;
}

/** Headers that could carry somebody's credentials; they are not stored. */
const NOT_STORED = new Set(['authorization', 'cookie', 'proxy-authorization']);

const BYTES = 'application/octet-stream';
const NO_BYTES = Buffer.alloc(0);

/**
 * Where Co-Pilot sends: raw bytes, key, signature, parse, commit, 200, and nothing else. It is a Fastify scope of its own,
 * beside Nest's routes, so that these bodies alone stay bytes and nothing else runs on this path.
 */
@Injectable()
export class ReceiveNotifications implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly settings: Settings,
    private readonly subscription: SubscriptionService,
    private readonly events: EventsService,
    private readonly quarantine: Quarantine,
    private readonly meter: AckMeter,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    await fastify.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      scope.decorateRequest('arrivedAt', 0);
      scope.decorateRequest('contentType', null);
      scope.decorateRequest('active', null);
      scope.addHook('onRequest', (request, reply, done) => this.open(request as HookRequest, reply, done));
      scope.setErrorHandler<FastifyError>((error, _request, reply) => this.refuseUnread(error, reply));
      scope.post('/hooks/:key', { bodyLimit: this.settings.bodyLimitBytes }, (request, reply) =>
        this.receive(request as HookRequest, reply),
      );
    });
  }

  /** The key comes first: without one, not a byte of the body is read. */
  private open(request: HookRequest, reply: FastifyReply, done: () => void): void {
    const active = this.subscription.byKey(request.params.key);
    if (active === null) {
      void refuse(reply, refusals.UNKNOWN_KEY);
      return;
    }
    request.arrivedAt = this.clock.now();
    request.active = active;
    // Fastify answers 415 to a type that it cannot read; these bytes are wanted whatever they are called.
    request.contentType = request.headers['content-type'] ?? null;
    request.raw.headers['content-type'] = BYTES;
    done();
  }

  private async receive(request: HookRequest, reply: FastifyReply): Promise<FastifyReply> {
    const readAt = performance.now();
    const body = Buffer.isBuffer(request.body) ? request.body : NO_BYTES;
    const { subscriptionId, secret, signatureHeader } = request.active;
    const verified = verifySignature(body, secret, request.headers, signatureHeader);
    if (typeof verified === 'string') {
      this.meter.count('rejected', 0);
      this.quarantine.add({ reason: verified, subscriptionId, headers: storedHeaders(request), body });
      return refuse(reply, refusals.BAD_SIGNATURE);
    }

    const { webhookId, ...parsed } = parseNotification(body);
    const outcome = await this.events.record({
      ...parsed,
      webhookId,
      receivedAt: request.arrivedAt,
      contentType: request.contentType,
      headers: storedHeaders(request),
      body,
      signatureHeader: verified.header,
      signatureValue: verified.value,
      identity: identifyNotification(body, parsed.occurredAt),
    });
    this.subscription.learnSignatureHeader(subscriptionId, verified.header);
    this.subscription.noteNotification(subscriptionId, request.arrivedAt, webhookId);
    return this.answer(reply, outcome, performance.now() - readAt);
  }

  private answer(reply: FastifyReply, outcome: AppendOutcome, tookMs: number): FastifyReply {
    if (outcome.status === 'refused') {
      this.meter.count('refused', tookMs);
      this.log.error(
        { reason: outcome.reason, cause: outcome.cause, took_ms: Math.round(tookMs) },
        'notification not stored',
      );
      return refuse(reply, refusals.NOT_STORED);
    }
    this.meter.count(outcome.status, tookMs);
    if (this.log.isLevelEnabled('debug')) {
      this.log.debug({ event: outcome.id, outcome: outcome.status, took_ms: tookMs }, 'notification');
    }
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(`{"id":"${outcome.id}","status":"${outcome.status}"}`);
  }

  /** Fastify could not read the body: too large, cut short, or not HTTP. */
  private refuseUnread(error: FastifyError, reply: FastifyReply): FastifyReply {
    if (error.statusCode === 413) return refuse(reply, refusals.TOO_LARGE);
    const status = error.statusCode ?? 500;
    if (status >= 500) this.log.error({ err: error }, 'notification not received');
    return refuse(reply, status < 500 ? refusals.notReadable(status) : refusals.NOT_STORED);
  }
}

function refuse(reply: FastifyReply, { status, body }: refusals.Refusal): FastifyReply {
  // Before the body: what is set after it stays here.
  if (status === 503) void reply.header('retry-after', refusals.RETRY_AFTER_SECONDS);
  return reply.code(status).header('content-type', 'application/problem+json; charset=utf-8').send(body);
}

function storedHeaders({ raw: { rawHeaders } }: FastifyRequest): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!NOT_STORED.has(name)) pairs.push([name, rawHeaders[i + 1]!]);
  }
  return pairs;
}
