import { Injectable } from '@nestjs/common';
import { ENDPOINTS } from '../../protocol/endpoints';
import { Clock } from '../ground/clock';
import { CopilotClient } from '../connection/copilot-client';
import { TimeBounds } from '../ground/time-bounds';
import { nextPage } from './next-page';
import { readCreatedId, readWebhooks, type ShownWebhook } from './read-webhooks';
import { addressOf, type Registration } from './registration';
import { Registrations } from './registrations';
import { readRetryAfter } from './retry-after';
import { troubleOf, type Answer, type Trouble } from './api-failure';
import { isWebhookId } from './webhook-id';

/** Nothing certain came of it. It may be tried again. */
type Unclear = { kind: 'unclear' } & Trouble;

export type CreateOutcome =
  | { kind: 'created'; webhookId: string | null }
  /** Refused for certain: nothing was created. `exists`: perhaps because there is such a one already. */
  | ({ kind: 'refused'; exists: boolean } & Trouble)
  | Unclear;

export type ListOutcome = { kind: 'listed'; webhooks: ShownWebhook[] } | Unclear;

/** `shown`: the webhook as the answer has it, if it does. */
export type UpdateOutcome = { kind: 'updated'; shown: ShownWebhook | null } | { kind: 'gone' } | Unclear;
export type RemoveOutcome = { kind: 'gone' } | Unclear;

/** What an update can set (document, 4.5). */
export interface WebhookFields {
  events: readonly string[];
  active: boolean;
}

/** Refusals that say nothing about the request itself: it was too early, too often, or without a good token. */
const NOT_NOW = [401, 408, 425, 429];
const MOST_PAGES = 5;

/** Co-Pilot's webhook endpoints (document, 4.3 to 4.6), their answers sorted into what can be done about them. */
@Injectable()
export class WebhookApi {
  /** Co-Pilot asked to be left alone until then, on the scale of `TimeBounds.latest`. */
  private waitUntil = 0;

  constructor(
    private readonly client: CopilotClient,
    private readonly registrations: Registrations,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  /** How much longer Co-Pilot asked to be left alone, in ms. */
  get askedToWaitMs(): number {
    return Math.max(0, this.waitUntil - this.bounds.latest());
  }

  async create(registration: Registration): Promise<CreateOutcome> {
    const { events, secret, paused } = registration;
    const request = { url: addressOf(registration), events, active: !paused, secret };
    const answer = await this.call('POST', ENDPOINTS.webhooks, request);
    const created = successOf(answer);
    if (created !== null)
      return { kind: 'created', webhookId: readCreatedId(created.body) ?? idIn(created.headers) };
    const trouble = this.troubleOf(answer, 'the registration');
    if (answer.kind !== 'answered' || !isCertain(answer.status)) return { kind: 'unclear', ...trouble };
    return { kind: 'refused', exists: answer.status === 409, ...trouble };
  }

  /** All pages, as far as they can be followed: what is missing from it may exist all the same. */
  async list(): Promise<ListOutcome> {
    const webhooks = new Map<string, ShownWebhook>();
    let path: string | null = ENDPOINTS.webhooks;
    for (let page = 0; path !== null && page < MOST_PAGES; page += 1) {
      const answer: Answer = await this.call('GET', path);
      const listed = successOf(answer);
      if (listed === null) return { kind: 'unclear', ...this.troubleOf(answer, 'the list of webhooks') };
      // A page of HTML is no list; an answer without content is an empty one.
      if (listed.body === undefined && !listed.empty) {
        return { kind: 'unclear', why: "Co-Pilot's list of webhooks could not be read.", remedy: null };
      }
      const before = webhooks.size;
      for (const one of readWebhooks(listed.body)) webhooks.set(`${one.webhookId} ${one.url}`, one);
      path = webhooks.size === before ? null : nextPage(path, listed.body, listed.headers);
    }
    return { kind: 'listed', webhooks: [...webhooks.values()] };
  }

  async update(id: string, { events, active }: WebhookFields): Promise<UpdateOutcome> {
    const answer = await this.call('PATCH', pathOf(id), { events, active });
    if (isGone(answer)) return { kind: 'gone' };
    const updated = successOf(answer);
    if (updated === null) return { kind: 'unclear', ...this.troubleOf(answer, 'the update') };
    const [shown, ...others] = readWebhooks(updated.body);
    const isItself = others.length === 0 && (shown?.webhookId ?? id) === id;
    return { kind: 'updated', shown: isItself ? (shown ?? null) : null };
  }

  async remove(id: string): Promise<RemoveOutcome> {
    const answer = await this.call('DELETE', pathOf(id));
    if (isGone(answer) || successOf(answer) !== null) return { kind: 'gone' };
    return { kind: 'unclear', ...this.troubleOf(answer, 'the deletion') };
  }

  /** Co-Pilot may quote any of our webhooks: the one that is in the way, or the one that was sent. */
  private troubleOf(answer: Answer, what: string): Trouble {
    const secrets = this.registrations.all().flatMap(({ key, secret }) => [key, secret]);
    return troubleOf(answer, what, secrets);
  }

  private async call(...request: Parameters<CopilotClient['call']>): Promise<Answer> {
    if (this.askedToWaitMs > 0) return { kind: 'waiting', until: this.bounds.shown(this.waitUntil) };
    const answer = await this.client.call(...request);
    if (answer.kind === 'answered' && (answer.status === 429 || answer.status === 503)) {
      const wait = readRetryAfter(answer.headers['retry-after'], this.clock.now());
      if (wait !== null) this.waitUntil = this.bounds.latest() + wait;
    }
    return answer;
  }
}

function pathOf(id: string): string {
  if (!isWebhookId(id)) throw new Error('A webhook id that cannot stand in a path was to be asked for.');
  return `${ENDPOINTS.webhooks}/${id}`;
}

/** A created resource's address is usual in `location` (RFC 9110, 10.2.2). */
function idIn({ location }: Readonly<Record<string, unknown>>): string | null {
  return typeof location === 'string' ? (/\/(wh_\d+)$/.exec(location)?.[1] ?? null) : null;
}

/** The answer, where it is one that something was done; else null. */
function successOf(answer: Answer): Extract<Answer, { kind: 'answered' }> | null {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 300 ? answer : null;
}

/** Whether such a refusal says that nothing was carried out. */
function isCertain(status: number): boolean {
  return status >= 400 && status < 500 && !NOT_NOW.includes(status);
}

function isGone(answer: Answer): boolean {
  return answer.kind === 'answered' && (answer.status === 404 || answer.status === 410);
}
