import { Injectable } from '@nestjs/common';
import { ENDPOINTS } from '../../protocol/endpoints';
import { CopilotClient, type ApiAnswer } from '../connection/copilot-client';
import { readCreatedId, readWebhooksAt } from './read-webhooks';
import { readRefusal } from './read-refusal';
import { addressOf, type Registration } from './registration';

/** Nothing certain came of it; `why` is a sentence. It may be tried again. */
interface Unclear {
  kind: 'unclear';
  why: string;
}

export type CreateOutcome =
  | { kind: 'created'; webhookId: string | null }
  /** Refused for certain: nothing was created. `exists`: because there is such a one already. */
  | { kind: 'refused'; exists: boolean; why: string }
  | Unclear;

/** `ids` of all webhooks at our address; an id is null where the list names none. */
export type FindOutcome = { kind: 'listed'; ids: (string | null)[] } | Unclear;

export type UpdateOutcome = { kind: 'updated' } | { kind: 'gone' } | Unclear;
export type RemoveOutcome = { kind: 'gone' } | Unclear;

/** Refusals that say nothing about the request itself: it was too early, too often, or without a good token. */
const NOT_NOW = [401, 408, 425, 429];

/** Co-Pilot's webhook endpoints (document, 4.3 to 4.6), their answers sorted into what can be done about them. */
@Injectable()
export class WebhookApi {
  constructor(private readonly client: CopilotClient) {}

  async create(registration: Registration): Promise<CreateOutcome> {
    const { events, secret } = registration;
    const request = { url: addressOf(registration), events, active: true, secret };
    const answer = await this.client.call('POST', ENDPOINTS.webhooks, request);
    if (answer.kind !== 'answered') return unclear(answer);
    if (isSuccess(answer.status)) return { kind: 'created', webhookId: readCreatedId(answer.body) };
    const certain = answer.status >= 400 && answer.status < 500 && !NOT_NOW.includes(answer.status);
    if (!certain) return unclear(answer);
    return { kind: 'refused', exists: answer.status === 409, why: saying(answer, registration) };
  }

  async find(registration: Registration): Promise<FindOutcome> {
    const answer = await this.client.call('GET', ENDPOINTS.webhooks);
    if (answer.kind !== 'answered' || !isSuccess(answer.status)) return unclear(answer);
    // A page of HTML is no list; an answer without content is an empty one.
    if (answer.body === undefined && !answer.empty) {
      return { kind: 'unclear', why: "Co-Pilot's list of webhooks could not be read." };
    }
    return { kind: 'listed', ids: readWebhooksAt(answer.body, addressOf(registration)) };
  }

  async update(id: string, events: readonly string[]): Promise<UpdateOutcome> {
    const answer = await this.client.call('PATCH', pathOf(id), { events, active: true });
    if (isGone(answer)) return { kind: 'gone' };
    return answer.kind === 'answered' && isSuccess(answer.status) ? { kind: 'updated' } : unclear(answer);
  }

  async remove(id: string): Promise<RemoveOutcome> {
    const answer = await this.client.call('DELETE', pathOf(id));
    if (isGone(answer)) return { kind: 'gone' };
    return answer.kind === 'answered' && isSuccess(answer.status) ? { kind: 'gone' } : unclear(answer);
  }
}

function pathOf(id: string): string {
  return `${ENDPOINTS.webhooks}/${encodeURIComponent(id)}`;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isGone(answer: ApiAnswer): boolean {
  return answer.kind === 'answered' && (answer.status === 404 || answer.status === 410);
}

function unclear(answer: ApiAnswer): Unclear {
  if (answer.kind === 'answered') return { kind: 'unclear', why: `Co-Pilot answered ${answer.status}.` };
  if (answer.kind === 'no_token') return { kind: 'unclear', why: `Nothing could be sent: ${answer.why}.` };
  return { kind: 'unclear', why: `Co-Pilot did not answer (${answer.reason}).` };
}

function saying(answer: Extract<ApiAnswer, { kind: 'answered' }>, { key, secret }: Registration): string {
  const text = readRefusal(answer.body, [key, secret]);
  return `Co-Pilot refused the registration with ${answer.status}${text === null ? '.' : `: ${text}`}`;
}
