import type { CopilotRequest, CopilotResponse } from './copilot-requests';

export interface FakeWebhook {
  webhook_id: string;
  url: string;
  events: string[];
  active: boolean;
  secret: string;
}

/** The webhooks of the fake Co-Pilot, and how it answers requests about them. */
export class FakeWebhooks {
  readonly all = new Map<string, FakeWebhook>();
  createResponse: 'record' | 'data' | 'webhook' | 'empty' | 'html' = 'record';
  /** How the list refers to its next page; a page has one webhook then. `unmarked`: not at all. */
  paging: 'none' | 'cursor' | 'page' | 'link' | 'next' | 'unmarked' = 'none';
  /** The maximum number of webhooks, and the status for a further one. */
  limit: { webhooks: number; status: number } | null = null;
  private lastNumber = 1000;

  /** @param baseUrl of the server, without a trailing slash */
  constructor(private readonly baseUrl: () => string) {}

  add(fields: Omit<FakeWebhook, 'webhook_id'>): FakeWebhook {
    this.lastNumber += 1;
    const webhook = { ...fields, webhook_id: `wh_${this.lastNumber}` };
    this.all.set(webhook.webhook_id, webhook);
    return webhook;
  }

  respond({ method, path, query, body }: CopilotRequest): CopilotResponse {
    const id = path.split('/')[3];
    if (id !== undefined) return this.respondToOne(method, decodeURIComponent(id), body);
    if (method === 'GET') return this.respondToList(query);
    if (this.limit !== null && this.all.size >= this.limit.webhooks)
      return { status: this.limit.status, body: { message: 'too many webhooks' } };
    return this.respondToCreate(this.add(JSON.parse(body)));
  }

  private respondToOne(method: string, id: string, body: string): CopilotResponse {
    const webhook = this.all.get(id);
    if (webhook === undefined) return { status: 404, body: { error: 'not_found' } };
    if (method === 'DELETE') {
      this.all.delete(id);
      return { status: 204 };
    }
    Object.assign(webhook, JSON.parse(body));
    return { status: 200, body: withoutSecret(webhook) };
  }

  private respondToCreate(webhook: FakeWebhook): CopilotResponse {
    if (this.createResponse === 'empty') return { status: 204 };
    if (this.createResponse === 'html') {
      return { status: 200, body: '<html><body>Created</body></html>', contentType: 'text/html' };
    }
    const record = withoutSecret(webhook);
    return {
      status: 201,
      body: this.createResponse === 'record' ? record : { [this.createResponse]: record },
    };
  }

  private respondToList(query: URLSearchParams): CopilotResponse {
    const all = [...this.all.values()].map(withoutSecret);
    if (this.paging === 'none') return { status: 200, body: all };
    const at = Number(query.get('cursor') ?? query.get('page') ?? 1);
    const data = all.slice(at - 1, at);
    const next = at < all.length ? `/v1/webhooks?cursor=${at + 1}` : null;
    const beside = {
      cursor: { meta: { next_cursor: next === null ? null : String(at + 1) } },
      page: { page: at, pages: all.length },
      next: { _links: { next: next === null ? null : { href: this.baseUrl() + next } } },
      link: {},
      unmarked: {},
    };
    const link = this.paging === 'link' && next !== null ? { link: `<${next}>; rel="next"` } : {};
    return { status: 200, body: { data, ...beside[this.paging] }, headers: link };
  }
}

/** A webhook as the service shows it, without its secret. */
function withoutSecret({ webhook_id, url, events, active }: FakeWebhook): Omit<FakeWebhook, 'secret'> {
  return { webhook_id, url, events, active };
}
