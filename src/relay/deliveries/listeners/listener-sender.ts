import { setTimeout as wait } from 'node:timers/promises';
import type { ListenDelivery } from '../../../contract/listen';
import { withTimeout } from '../../ground/with-timeout';
import { statusMatcher } from '../../targets/status-matcher';
import type { TargetRecord } from '../../targets/target-record';
import type { AttemptOutcome } from '../sending/attempt-outcome';
import { excerptOf } from '../sending/excerpt';
import type { ListenerLink } from './listener-link';
import type { ListenerLinks } from './listener-links';

/** A process that could not connect to its receiver is not given the delivery again at once. */
const NOT_CONNECTED_PAUSE_MS = 1_000;

/** How much longer than its timeout an attempt may be without an outcome. */
const GRACE_MS = 30_000;

/** Sends requests for a listener to the process that is connected for it, and which makes them. */
export class ListenerSender {
  private readonly inFlight = new Map<ListenDelivery, ListenerLink>();
  private readonly isSuccess: (status: number) => boolean;

  constructor(
    private readonly target: Pick<TargetRecord, 'number' | 'policy'>,
    private readonly links: ListenerLinks,
  ) {
    this.isSuccess = statusMatcher(target.policy.success);
  }

  async send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
    const link = this.links.of(this.target.number);
    if (link === null) return null;
    const delivery: ListenDelivery = {
      delivery: headers['switchboard-delivery']!,
      attempt: Number(headers['switchboard-attempt']),
      headers,
      body,
      timeout_ms: this.target.policy.timeout_ms,
    };
    this.inFlight.set(delivery, link);
    const answer = await withTimeout(link.send(delivery), delivery.timeout_ms + GRACE_MS, null);
    link.forget(delivery);
    this.inFlight.delete(delivery);
    if (answer === null) return null;
    const { result, confirm } = answer;
    const { status = null, error, duration_ms: durationMs, excerpt = '', retry_after: retryAfter } = result;
    if (error === 'not_connected') {
      confirm();
      await wait(NOT_CONNECTED_PAUSE_MS, undefined, { ref: false });
      return null;
    }
    const failure = error ?? (this.isSuccess(status!) ? null : 'http_status');
    return {
      status,
      error: failure,
      durationMs,
      excerpt: excerptOf(Buffer.from(excerpt), secrets),
      retryAfter: failure === 'http_status' ? (retryAfter ?? null) : null,
      confirm,
    };
  }

  /** The connection is that of the process, and stays open: requests in flight end by themselves. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  abort(): Promise<void> {
    for (const [delivery, link] of this.inFlight) link.forget(delivery);
    return Promise.resolve();
  }
}
