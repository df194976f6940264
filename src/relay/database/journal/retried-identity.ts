import { UNDATED_MINUTE, type Identity } from './journal';

/** Co-Pilot retries a notification after 5 s and 25 s (document, 6.3); this leaves room for delays. */
const RETRIED_WITHIN_MS = 10 * 60_000;

/** Whether the same bytes under the same minute are the same notification, this long after the first. */
export const isRetry = ({ minute }: Identity, laterMs: number) =>
  minute !== UNDATED_MINUTE || laterMs <= RETRIED_WITHIN_MS;
