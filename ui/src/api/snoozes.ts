import type { SnoozeCreate, Snoozes } from '@contract/snooze';
import { change } from './request';

/** Hides an issue until a time (ISO 8601); null: for as long as it lasts. */
export const addSnooze = (input: Omit<SnoozeCreate, 'until'> & { until: string | null }): Promise<Snoozes> =>
  change<Snoozes>('POST', '/snoozes', input);

/** Shows an issue again. */
export const removeSnooze = (issue: string): Promise<void> =>
  change<void>('DELETE', `/snoozes/${encodeURIComponent(issue)}`);
