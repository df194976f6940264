import { Problem } from '../problem';
import type { LiveReadings } from '../quirks/readings';

/**
 * The document shows no limit (8); the reading sets one.
 * @throws Problem if an application with `count` webhooks may not create another
 */
export function checkWebhookLimit(count: number, readings: LiveReadings): void {
  const { webhook_limit: limit, webhook_limit_status: status } = readings.now;
  if (limit === 0 || count < limit) return;
  const detail = `An application can have at most ${limit} webhooks; yours has ${count}. Delete one first.`;
  throw new Problem(Number(status), 'webhook_limit_reached', 'Too many webhooks', detail);
}
