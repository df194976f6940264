import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { describeFailure, type ApiFailure } from '../../connection/api-failure';
import { CopilotClient, type ApiResponse } from '../../connection/copilot-client';
import { Clock } from '../../ground/clock';
import { readRetryAfter } from '../../network/read-retry-after';
import { ENDPOINTS } from '../../../protocol/endpoints';
import type { readDeals } from './read-deals';

const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 };

const NOT_GRANTED = 'Connect again and grant the scope deals.';
const REMEDIES = { 401: 'Connect again.', 403: NOT_GRANTED, 404: NOT_GRANTED };

type ReadPage = Exclude<ReturnType<typeof readDeals>, { names: string }>;

export type PageOutcome =
  | { kind: 'page'; page: ReadPage }
  /** It may succeed later. `waitMs`: for how long Co-Pilot asked for no requests; null if it did not. */
  | ({ kind: 'later'; waitMs: number | null } & ApiFailure)
  | ({ kind: 'failed' } & ApiFailure);

/** Co-Pilot's endpoint of deals (document, 4.7). */
@Injectable()
export class DealsApi {
  constructor(
    private readonly client: CopilotClient,
    private readonly clock: Clock,
  ) {}

  /** @param path of the list, with the query of this page */
  async page(path: string): Promise<PageOutcome> {
    const response = await this.client.call('GET', path, undefined, MAX_PAGE_BYTES);
    if (response.kind !== 'response' || response.status < 200 || response.status >= 300)
      return this.failure(response);
    const { body, headers } = response;
    const workerData = { list: ENDPOINTS.deals, path, body, headers } as Parameters<typeof readDeals>[0];
    const thread = new Worker(join(__dirname, 'read-deals.thread.js'), {
      workerData,
      resourceLimits: THREAD_LIMITS,
    });
    const [page] = (await once(thread, 'message')) as [ReturnType<typeof readDeals>];
    if (!('names' in page)) return { kind: 'page', page };
    const reason = `No list of deals was recognized in Co-Pilot's response (${page.names}).`;
    return { kind: 'failed', reason, remedy: 'Check COPILOT_BASE_URL.' };
  }

  /** Whether a deal does not exist any more; null if that is not certain. @param path from its `_links` */
  async isGone(path: string): Promise<boolean | null> {
    const response = await this.client.call('GET', path);
    if (response.kind !== 'response') return null;
    if (response.status === 404 || response.status === 410) return true;
    return response.status >= 200 && response.status < 300 ? false : null;
  }

  private failure(response: ApiResponse): Exclude<PageOutcome, { kind: 'page' }> {
    const described = describeFailure(response, 'the list of deals', REMEDIES);
    if (response.kind === 'no_token') return { kind: 'failed', ...described };
    if (response.kind === 'unreachable') return { kind: 'later', waitMs: null, ...described };
    const { status, headers } = response;
    if (status === 403 || status === 404)
      return { kind: 'failed', ...described, reason: `The token may not read deals. ${described.reason}` };
    if (status !== 429 && status < 500) return { kind: 'failed', ...described };
    const { 'retry-after': header } = headers;
    const waitMs = typeof header === 'string' ? readRetryAfter(header, this.clock.now()) : null;
    return { kind: 'later', waitMs, ...described };
  }
}
