import { Injectable } from '@nestjs/common';
import { ENDPOINTS } from '../../protocol/endpoints';
import { Clock } from '../ground/clock';
import { describeFailure, type ApiResult, type ApiFailure } from '../connection/api-failure';
import { CopilotClient } from '../connection/copilot-client';
import { nextPage } from '../connection/next-page';
import { TimeBounds } from '../ground/time-bounds';
import { readRetryAfter } from '../network/read-retry-after';
import { readCreatedId, readWebhooks, type ListedWebhook } from './read-webhooks';
import { webhookUrl, type Registration } from './registration';
import { RegistrationStore } from './registration.store';
import { isWebhookId } from './webhook-id';

/** The response was inconclusive: it is unknown whether the request had an effect. It may be repeated. */
type Unclear = { kind: 'unclear' } & ApiFailure;

export type CreateOutcome =
  | { kind: 'created'; webhookId: string | null }
  /** Nothing was created. `exists`: the status is 409, so perhaps the webhook already exists. */
  | ({ kind: 'rejected'; exists: boolean } & ApiFailure)
  | Unclear;

export type ListOutcome = { kind: 'listed'; webhooks: ListedWebhook[] } | Unclear;

/** `webhook`: as in the response; null if the response does not contain it. */
export type UpdateOutcome = { kind: 'updated'; webhook: ListedWebhook | null } | { kind: 'gone' } | Unclear;
export type DeleteOutcome = { kind: 'gone' } | Unclear;

/** The fields an update can set (document, 4.5). */
export interface WebhookFields {
  events: readonly string[];
  active: boolean;
}

/**
 * Statuses that do not mean that the request itself is invalid: no valid token, timeout, too early, too many
 * requests.
 */
const TRANSIENT_STATUSES = [401, 408, 425, 429];
const REMEDY_BY_STATUS: Record<number, string> = {
  400: 'Check PUBLIC_URL, which must be an https URL, and COPILOT_EVENTS.',
  401: 'Co-Pilot does not accept the access token, although it was renewed; the Client ID and the Client Secret are not in question. If this persists, connect again.',
  403: 'Connect again and grant the webhooks scope. If it is granted, check the permissions and the webhook limit of the application in the developer panel.',
  404: 'Check COPILOT_BASE_URL.',
  409: 'If the webhook limit is reached, delete an unused webhook in the developer panel.',
  422: 'Check PUBLIC_URL, which must be an https URL, and COPILOT_EVENTS. If the webhook limit is reached, delete an unused webhook in the developer panel.',
};

/** Limits the requests per check, even if the list of webhooks never ends. */
const MAX_PAGES = 5;

/** A longer `Retry-After` is shortened to a day, so that a mistake at Co-Pilot does not last forever. */
const MAX_WAIT_MS = 86_400_000;

/** Co-Pilot's webhook endpoints (document, 4.3 to 4.6), with their responses classified by what to do next. */
@Injectable()
export class WebhookApi {
  /** Co-Pilot asked for no requests until then, on the scale of `TimeBounds.latest`. */
  private waitUntil = 0;

  constructor(
    private readonly client: CopilotClient,
    private readonly registrations: RegistrationStore,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  /** The remaining wait that Co-Pilot asked for, in ms. */
  get requestedWaitMs(): number {
    return Math.max(0, this.waitUntil - this.bounds.latest());
  }

  async create(registration: Registration): Promise<CreateOutcome> {
    const { events, secret, paused } = registration;
    const request = { url: webhookUrl(registration), events, active: !paused, secret };
    const result = await this.call('POST', ENDPOINTS.webhooks, request);
    const created = success(result);
    if (created !== null)
      return { kind: 'created', webhookId: readCreatedId(created.body) ?? idIn(created.headers) };
    const failure = this.describeFailure(result, 'the registration');
    if (result.kind !== 'response' || !provesNothingDone(result.status))
      return { kind: 'unclear', ...failure };
    return { kind: 'rejected', exists: result.status === 409, ...failure };
  }

  /** All pages up to the limit. A webhook that is missing from the result may still exist. */
  async list(): Promise<ListOutcome> {
    const webhooks = new Map<string, ListedWebhook>();
    let path: string | null = ENDPOINTS.webhooks;
    for (let page = 0; path !== null && page < MAX_PAGES; page += 1) {
      const result: ApiResult = await this.call('GET', path);
      const listed = success(result);
      if (listed === null)
        return { kind: 'unclear', ...this.describeFailure(result, 'the list of webhooks') };
      // An HTML page is not a list; a response without a body is an empty one.
      if (listed.body === undefined && !listed.empty) {
        return { kind: 'unclear', reason: "Co-Pilot's list of webhooks could not be read.", remedy: null };
      }
      const before = webhooks.size;
      for (const one of readWebhooks(listed.body)) webhooks.set(`${one.webhookId} ${one.url}`, one);
      path = webhooks.size === before ? null : nextPage({ list: ENDPOINTS.webhooks, path, ...listed }).next;
    }
    return { kind: 'listed', webhooks: [...webhooks.values()] };
  }

  async update(id: string, { events, active }: WebhookFields): Promise<UpdateOutcome> {
    const result = await this.call('PATCH', pathOf(id), { events, active });
    if (isGone(result)) return { kind: 'gone' };
    const updated = success(result);
    if (updated === null) return { kind: 'unclear', ...this.describeFailure(result, 'the update') };
    const [webhook, ...others] = readWebhooks(updated.body);
    const isSameWebhook = others.length === 0 && (webhook?.webhookId ?? id) === id;
    return { kind: 'updated', webhook: isSameWebhook ? (webhook ?? null) : null };
  }

  async delete(id: string): Promise<DeleteOutcome> {
    const result = await this.call('DELETE', pathOf(id));
    if (isGone(result) || success(result) !== null) return { kind: 'gone' };
    return { kind: 'unclear', ...this.describeFailure(result, 'the deletion') };
  }

  /** Masks the secrets of all our webhooks: an error may quote the one that was sent, or one in conflict. */
  private describeFailure(result: ApiResult, request: string): ApiFailure {
    const secrets = this.registrations.all().flatMap(({ key, secret }) => [key, secret]);
    return describeFailure(result, request, REMEDY_BY_STATUS, secrets);
  }

  private async call(...request: Parameters<CopilotClient['call']>): Promise<ApiResult> {
    if (this.requestedWaitMs > 0) return { kind: 'waiting', until: this.bounds.toWallClock(this.waitUntil) };
    const result = await this.client.call(...request);
    if (result.kind === 'response' && (result.status === 429 || result.status === 503)) {
      const { 'retry-after': header } = result.headers;
      const wait = typeof header === 'string' ? readRetryAfter(header, this.clock.now()) : null;
      if (wait !== null) this.waitUntil = this.bounds.latest() + Math.min(wait, MAX_WAIT_MS);
    }
    return result;
  }
}

function pathOf(id: string): string {
  if (!isWebhookId(id)) throw new Error('The webhook id is not valid in a path.');
  return `${ENDPOINTS.webhooks}/${id}`;
}

/** The URL of a created resource is usually in `Location` (RFC 9110, 10.2.2). */
function idIn({ location }: Readonly<Record<string, unknown>>): string | null {
  return typeof location === 'string' ? (/\/(wh_\d+)$/.exec(location)?.[1] ?? null) : null;
}

/**
 * The response if it reports success, else null. A body that reports an error, and no webhook, means more than its
 * status.
 */
function success(result: ApiResult): Extract<ApiResult, { kind: 'response' }> | null {
  if (result.kind !== 'response' || result.status < 200 || result.status >= 300) return null;
  return reportsError(result.body) && readWebhooks(result.body).length === 0 ? null : result;
}

function reportsError(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { error, errors, success: ok } = body as Record<string, unknown>;
  return [error, errors].some((value) => isSet(value)) || ok === false;
}

/** Neither empty, nor a flag or a count. */
const isSet = (value: unknown): boolean =>
  (typeof value === 'string' || (typeof value === 'object' && value !== null)) &&
  Object.keys(value).length > 0;

/** Whether this status proves that the request had no effect. */
function provesNothingDone(status: number): boolean {
  return status >= 400 && status < 500 && !TRANSIENT_STATUSES.includes(status);
}

function isGone(result: ApiResult): boolean {
  return result.kind === 'response' && (result.status === 404 || result.status === 410);
}
