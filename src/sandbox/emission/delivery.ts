import type { EventType } from '../../protocol/event-types';
import type { Outcome } from './send-attempt';

/** One try at a notification; `number` from 1. */
export interface Attempt {
  number: number;
  at: string;
  durationMs: number;
  outcome: Outcome;
}

/**
 * One notification on its way to one webhook: `sending` (an attempt is under way), `waiting` (for the next one), and at the
 * end `delivered`, `failed` (no attempt is left) or `stopped` (the webhook was switched off or deleted meanwhile).
 */
export interface Delivery {
  event: EventType;
  timestamp: string;
  state: 'sending' | 'waiting' | 'delivered' | 'failed' | 'stopped';
  attempts: Attempt[];
}
