import { Problem } from '../problem';
import type { LiveReadings } from '../quirks/readings';

/** An application with `count` webhooks may make another, or a `Problem`. The limit is not shown (document, 8). */
export function checkWebhookLimit(count: number, readings: LiveReadings): void {
  const { webhook_limit: limit, webhook_limit_status: status } = readings.now;
  if (limit === 0 || count < limit) return;
  const detail = `An application has at most ${limit} webhooks, and yours has ${count}. Delete one first.`;
  throw new Problem(Number(status), 'webhook_limit_reached', 'Too many webhooks', detail);
}
